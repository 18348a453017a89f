package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/driver"
)

func TestRun_TableAndSamples(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out.json")
	var stdout, stderr strings.Builder
	err := run(t.Context(), []string{"-servers", "floor", "-workloads", "small,start", "-rounds", "2",
		"-calls", "20", "-starts", "1", "-check", "-v", "-json", file}, &stdout, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| small | floor |", "| start | floor |", "| small | ≤ 2.5 × floor | not measured | — |"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout.String())
		}
	}
	if want := "small: round 2, floor\n"; !strings.Contains(stderr.String(), want) {
		t.Errorf("the progress lacks %q:\n%s", want, stderr.String())
	}
	encoded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report driver.Report
	if err := json.Unmarshal(encoded, &report); err != nil {
		t.Fatal(err)
	}
	if cell := report.Cell(driver.Small, driver.Floor); cell == nil || len(cell.Samples) != 2 || cell.Calls != 20 {
		t.Errorf("the file does not hold two samples of twenty calls: %s", encoded)
	}
}

func TestRun_EnforceMissingServers(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	err := run(t.Context(), []string{"-servers", "floor", "-workloads", "start", "-starts", "1", "-enforce"}, &stdout, &stderr)
	if err == nil || !strings.Contains(err.Error(), "bars are not met") {
		t.Errorf("got %v, want an error about the bars", err)
	}
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"an unknown server", []string{"-servers", "floor,nosuch"}, `no server "nosuch"; there are floor, mcpgo, gosdk, dougu`},
		{"an unknown workload", []string{"-servers", "floor", "-workloads", "nosuch"}, `no workload "nosuch"`},
		{"an unknown flag", []string{"-nosuch"}, "not defined"},
		{"an argument", []string{"small"}, `unexpected argument "small"`},
		{"a file that cannot be", []string{"-servers", "floor", "-workloads", "start", "-starts", "1", "-json", "/nosuch/dir/file"}, "/nosuch/dir/file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			err := run(t.Context(), test.args, &stdout, &stderr)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
	var stdout, stderr strings.Builder
	if err := run(t.Context(), []string{"-h"}, &stdout, &stderr); !errors.Is(err, flag.ErrHelp) || !strings.Contains(stderr.String(), "-inflight") {
		t.Errorf("asking for help gave %v:\n%s", err, stderr.String())
	}
}

func TestRun_OutputFails(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	err := run(t.Context(), []string{"-servers", "floor", "-workloads", "start", "-starts", "1"}, closed{}, &stderr)
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}

// closed is a standard output that is closed.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }
