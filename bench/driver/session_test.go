package driver

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// A session makes several requests to a server.
func TestSession_Ask(t *testing.T) {
	t.Parallel()
	for _, server := range Servers() {
		t.Run(server.Name, func(t *testing.T) {
			t.Parallel()
			s, err := OpenSession(exec.CommandContext(t.Context(), built(t, server).Path, "-tools", "3"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for range 3 {
				result, took, err := s.Ask("tools/list", struct{}{})
				if err != nil || took <= 0 {
					t.Fatalf("after %v: %v", took, err)
				}
				var got struct{ Tools []struct{ Name string } }
				if err := json.Unmarshal(result, &got); err != nil || len(got.Tools) != 3 {
					t.Errorf("the tools are %s: %v", result, err)
				}
			}
			if _, _, err := s.Ask("no/method", struct{}{}); err == nil {
				t.Error("a method that is not there was answered")
			}
			if _, _, err := s.Ask("tools/list", struct{}{}); err != nil {
				t.Errorf("after an error: %v", err)
			}
			if _, _, err := s.Resident(); err != nil {
				t.Error(err)
			}
			if _, err := s.CPU(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The error of a program that is no server contains its output.
func TestSession_NotAServer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"no/such/program"}, {"sh", "-c", "echo hello; echo not me >&2"}} {
		s, err := OpenSession(exec.CommandContext(t.Context(), args[0], args[1:]...))
		if err == nil {
			s.Close()
			t.Errorf("%q is a server", args)
		} else if len(args) > 1 && !strings.Contains(err.Error(), "not me") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestCPUOf_Command(t *testing.T) {
	t.Parallel()
	cpu, said, err := CPUOf(exec.CommandContext(t.Context(), "sh", "-c", "echo hello"))
	if err != nil || string(said) != "hello\n" || cpu < 0 {
		t.Errorf("%v, %q, %v", cpu, said, err)
	}
	if _, _, err := CPUOf(exec.CommandContext(t.Context(), "sh", "-c", "echo why >&2; exit 3")); err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("a command that failed: %v", err)
	}
}
