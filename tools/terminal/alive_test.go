package terminal_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// awaitFile waits for a file with a number.
func awaitFile(t testing.TB, name string) int {
	t.Helper()
	for deadline := time.Now().Add(hang); ; time.Sleep(time.Millisecond) {
		if content, err := os.ReadFile(name); err == nil && strings.HasSuffix(string(content), "\n") {
			pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not there", name)
		}
	}
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		rest := stat[strings.LastIndexByte(string(stat), ')')+1:]
		return rest[1] != 'Z' && rest[1] != 'X'
	}
	process, err := os.FindProcess(pid)
	return err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func awaitDeath(t testing.TB, pid int) {
	t.Helper()
	for deadline := time.Now().Add(hang); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d is alive", pid)
		}
	}
}
