package process_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/internal/process"
)

const (
	childVariable = "DOUGU_TEST_CHILD"
	// directVariable has the tests run children without supervisors, as a program does that does not call Supervise.
	directVariable = "DOUGU_TEST_DIRECT"
)

// The test binary is a child when it is told to be one.
func TestMain(m *testing.M) {
	if os.Getenv(directVariable) == "" {
		process.Supervise()
	}
	switch os.Getenv(childVariable) {
	case "":
		testleak.Main(m)
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "fail":
		os.Exit(7)
	case "stubborn":
		fmt.Println("ready")
		for {
			time.Sleep(time.Hour)
		}
	case "parent":
		parent()
	case "server":
		server()
	case "concealed":
		concealed()
	case "inheriting":
		inheriting()
	case "stopping":
		stopping()
	case "ancestors":
		ancestors()
	case "loud":
		fmt.Fprint(os.Stderr, strings.Repeat("x", 200<<10)+"\nlast line\r\nno newline")
	}
}

func start(t *testing.T, kind string, stderr func(string)) *process.Child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+kind)
	child, err := process.Start(cmd, stderr)
	if err != nil {
		t.Fatal(err)
	}
	return child
}

func TestChild_EndsWithInput(t *testing.T) {
	child := start(t, "echo", nil)
	if _, err := io.WriteString(child.Stdin, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(child.Stdout).ReadString('\n'); line != "hello\n" || err != nil {
		t.Errorf("it said %q, %v", line, err)
	}
	if child.PID() <= 0 {
		t.Errorf("its number is %d", child.PID())
	}
	if err := child.Stop(t.Context(), 10*time.Second); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if err := child.Stop(t.Context(), time.Second); err != nil {
		t.Errorf("stopping it again: %v", err)
	}
}

func TestChild_ExitError(t *testing.T) {
	child := start(t, "fail", nil)
	<-child.Done()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 { // no hurry makes it forget
		if err := child.Stop(ctx, time.Second); err == nil || !strings.Contains(err.Error(), "7") {
			t.Errorf("it ended with %v", err)
		}
	}
}

func TestChild_StopKills(t *testing.T) {
	for name, hurry := range map[string]bool{"in time": false, "in a hurry": true} {
		t.Run(name, func(t *testing.T) {
			child := start(t, "stubborn", nil)
			if _, err := bufio.NewReader(child.Stdout).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			grace := 50 * time.Millisecond
			if hurry {
				cancel()
				grace = time.Hour
			}
			if err := child.Stop(ctx, grace); err != nil {
				t.Errorf("ending it: %v", err)
			}
		})
	}
}

func TestChild_StderrLineLimit(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	child := start(t, "loud", func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	})
	<-child.Done()
	if err := child.Stop(t.Context(), time.Second); err != nil {
		t.Errorf("it ended with %v", err)
	}
	total := 0
	for _, line := range lines {
		if total += len(line); len(line) > 64<<10 {
			t.Errorf("a line has %d bytes", len(line))
		}
	}
	if want := 200<<10 + len("last line") + len("no newline"); total != want || lines[len(lines)-2] != "last line" || lines[len(lines)-1] != "no newline" {
		t.Errorf("%d bytes in %d lines, want %d; the last are %.20q", total, len(lines), want, lines[len(lines)-2:])
	}
}

func TestChild_StartError(t *testing.T) {
	if _, err := process.Start(exec.Command("/none/such"), nil); err == nil || !strings.Contains(err.Error(), "/none/such") {
		t.Errorf("starting it: %v", err)
	}
}
