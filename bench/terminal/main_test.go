package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// An environment variable makes the test binary the server.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRun_AllWorkloads(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of Unix")
	}
	var stdout, stderr strings.Builder
	if err := run(t.Context(), []string{"-rounds", "1", "-calls", "3"}, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
	if rows := regexp.MustCompile("(?m)^\\| `.*` \\| execute_command \\| .* [0-9.]+ \\| ≤ 3 \\|$").FindAllString(stdout.String(), -1); len(rows) != len(workloads()) {
		t.Errorf("there are %d rows:\n%s", len(rows), stdout.String())
	}
}

func TestRun_InvalidFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-calls", "0"}, {"more"}, {"-unknown"}, {"-serve", "/none/such"}} {
		var stdout, stderr strings.Builder
		if err := run(t.Context(), args, &stdout, &stderr); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
