package main

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// An environment variable makes the test binary a part of the measurement.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-be") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRun_AllSetups(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processor time is read from Linux")
	}
	var stdout, stderr strings.Builder
	if err := run(t.Context(), []string{"-rounds", "1", "-calls", "40"}, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
	if rows := regexp.MustCompile(`(?m)^\| (HTTP|stdio) → (HTTP|stdio)(, with the client)? \| .*µs.* \|$`).FindAllString(stdout.String(), -1); len(rows) != 3 {
		t.Errorf("there are %d rows:\n%s", len(rows), stdout.String())
	}
}

func TestRun_InvalidFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-calls", "0"}, {"-inflight", "0"}, {"more"}, {"-unknown"}, {"-be", "nothing"}} {
		var stdout, stderr strings.Builder
		if err := run(t.Context(), args, &stdout, &stderr); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
