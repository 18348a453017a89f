package process_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/process"
)

// alive reports whether a process is there and no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	return rest[1] != 'Z' && rest[1] != 'X'
}

func awaitDeath(t testing.TB, pid int) {
	t.Helper()
	for deadline := time.Now().Add(hang); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d is alive", pid)
		}
	}
}

// pids are the numbers that a process says.
func pids(t testing.TB, text string) []int {
	t.Helper()
	var all []int
	for _, word := range strings.Fields(text) {
		if pid, err := strconv.Atoi(word); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// Nothing of a tree survives, wherever it has gone.
func TestCaptured_CloseKillsTree(t *testing.T) {
	const quiet = ">/dev/null 2>&1 </dev/null"
	for name, script := range map[string]string{
		"in the group":                    `sleep 1000 & echo $! ready; wait`,
		"in its own session":              `setsid sh -c 'echo $$ ready; exec sleep 1000 ` + quiet + `' & wait`,
		"forked twice":                    `(setsid sh -c 'echo $$ ready; exec sleep 1000 ` + quiet + `' &) ; sleep 1000`,
		"without an environment":          `env -i setsid sh -c 'echo $$ ready; exec sleep 1000 ` + quiet + `' & wait`,
		"of one without an environment":   `env -i setsid sh -c 'echo $$; sleep 1000 ` + quiet + ` & echo $! ready; wait' & wait`,
		"ignoring what can be ignored":    `setsid sh -c 'trap "" TERM HUP INT; echo $$ ready; while :; do sleep 0.1; done' & wait`,
		"stopped":                         `sh -c 'kill -STOP $$' & echo $! ready; wait`,
		"left behind by who has finished": `(setsid sh -c 'echo $$ ready; exec sleep 1000 ` + quiet + `' &)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := capture(t, script, process.CaptureOptions{})
			numbers := pids(t, w.await(t, "ready"))
			if len(numbers) == 0 || !alive(numbers[0]) {
				t.Fatalf("there is no branch: %v", numbers)
			}
			if strings.HasPrefix(name, "left") {
				wait(t, w.Ended())
			}
			if err := w.Stop(process.Kill, 0); err != nil {
				t.Error(err)
			}
			for _, pid := range append(numbers, w.PID()) {
				awaitDeath(t, pid)
			}
		})
	}
}

// TestKillMarked_AllChildren kills the descendants of several children with the same mark.
func TestKillMarked_AllChildren(t *testing.T) {
	if os.Getenv(directVariable) == "" { // closing a supervised process ends its descendants
		runUnsupervised(t, "^TestKillMarked_AllChildren$")
		return
	}
	var numbers []int
	for range 3 {
		w := capture(t, `(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1 </dev/null' &); sleep 0.1`, process.CaptureOptions{Mark: "mark-of-this-test-f81d4fae"})
		wait(t, w.Ended())
		wait(t, w.Drained())
		numbers = append(numbers, pids(t, w.text(process.Stdout))...)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, pid := range numbers {
		if !alive(pid) {
			t.Errorf("%d is gone: closing what has ended touches nothing", pid)
		}
	}
	if err := process.KillMarked(context.Background(), "mark-of-this-test-f81d4fae"); err != nil || len(numbers) != 3 {
		t.Errorf("%d were left; killing them: %v", len(numbers), err)
	}
	for _, pid := range numbers {
		awaitDeath(t, pid)
	}
}

// The marks of programs in programs add up.
func TestMark_Inherited(t *testing.T) {
	t.Setenv(process.Variable, "outermost")
	w := capture(t, "echo $"+process.Variable, process.CaptureOptions{Mark: "outer"})
	wait(t, w.Ended())
	if got := w.text(process.Stdout); !strings.HasPrefix(got, "outermost:outer:") {
		t.Errorf("the marks are %q", got)
	}
}

// A child does not survive a program that is killed.
func TestChild_DiesWithProgram(t *testing.T) {
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), childVariable+"=parent")
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	children := pids(t, line)
	if len(children) != 2 || !alive(children[0]) || !alive(children[1]) {
		t.Errorf("it has no children: %q", line)
	}
	_ = program.Process.Kill()
	_ = program.Wait()
	for _, pid := range children {
		awaitDeath(t, pid)
	}
}

// parent runs two children until it is killed.
func parent() {
	c, err := process.Capture(exec.Command("sleep", "1000"), process.CaptureOptions{})
	if err != nil {
		panic(err)
	}
	s, err := process.Start(exec.Command("sleep", "1000"), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.PID(), s.PID())
	select {}
}

// A child is changed by Wrap, and keeps the mark by which it is found.
func TestCapture_Wrap(t *testing.T) {
	wrap := func(cmd *exec.Cmd) error {
		cmd.Path, cmd.Args = "/usr/bin/env", append([]string{"env", "WRAPPED=1"}, cmd.Args...)
		return nil
	}
	const query = `echo "$WRAPPED ${DOUGU_PROCESS:+marked}"`
	w := capture(t, query, process.CaptureOptions{Wrap: wrap})
	wait(t, w.Ended())
	if got := w.text(process.Stdout); got != "1 marked\n" {
		t.Errorf("it says %q", got)
	}
	child, err := process.StartWith(exec.Command("/bin/sh", "-c", query), process.Options{Wrap: wrap})
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(child.Stdout).ReadString('\n'); err != nil || line != "1 marked\n" {
		t.Errorf("it says %q, %v", line, err)
	}
	if err := child.Stop(t.Context(), hang); err != nil {
		t.Error(err)
	}
}
