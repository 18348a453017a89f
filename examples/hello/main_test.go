package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// An environment variable makes the test binary the program.
func TestMain(m *testing.M) {
	if os.Getenv("DOUGU_TEST_HELLO") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestHello(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DOUGU_TEST_HELLO=1")
	cmd.Stdin = strings.NewReader(callLine(t) + "\n")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"text":"Hello, World"`)) {
		t.Errorf("answered %s, %v", out, err)
	}
}

func TestMain_Help(t *testing.T) {
	for _, tc := range []struct {
		args string
		code int
		last string // last line of the output
	}{
		{"--help", 0, callLine(t)},
		{"help", 0, callLine(t)},
		{"-loud", 2, `hello: it takes no arguments, got ["-loud"]`},
	} {
		cmd := exec.Command(os.Args[0], tc.args)
		cmd.Env = append(os.Environ(), "DOUGU_TEST_HELLO=1")
		out, err := cmd.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if code := cmd.ProcessState.ExitCode(); code != tc.code || lines[len(lines)-1] != tc.last {
			t.Errorf("hello %s: exit code %d, %v\n%s", tc.args, code, err, out)
		}
	}
}

// callLine returns the line of the usage that calls the tool.
func callLine(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(usage) {
		if strings.HasPrefix(line, `{"jsonrpc"`) {
			return strings.TrimSpace(line)
		}
	}
	t.Fatal("the usage has no line with a call")
	return ""
}

func TestGreet(t *testing.T) {
	if got, err := greet(t.Context(), GreetArgs{Name: "Ada"}); got != "Hello, Ada" || err != nil {
		t.Errorf("greet: %q, %v", got, err)
	}
}
