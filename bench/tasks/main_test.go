package main

import (
	"os"
	"runtime"
	"testing"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
)

// An environment variable makes the test binary the server.
func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" {
		os.Exit(serveTasks())
	}
	os.Exit(m.Run())
}

// Some tasks are polled for a while. The speed depends on the machine and is not checked.
func TestRun_Short(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the server is ended by a signal")
	}
	out := drivertest.Run(run).Output(t, "-tasks", "200", "-every", "500ms", "-duration", "2s")
	drivertest.Rows(t, out, `\| polls \| 800 \|`, `\| CPU of a poll \| `, `\| share of one CPU \| [0-9.]+ % \|`, `\| memory of a task \| [1-9][0-9]* bytes`)
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-tasks", "0"}, []string{"-every", "0s"}, []string{"-duration", "0s"}, []string{"-connections", "0"}, []string{"more"}, []string{"-unknown"})
}
