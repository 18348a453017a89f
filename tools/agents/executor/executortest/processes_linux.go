package executortest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// checkProcesses fails the test if a process whose environment has the mark of a run is alive. Processes that were
// just killed may need a moment to disappear.
func (h Harness) checkProcesses(t testing.TB, mark string) {
	t.Helper()
	var alive []string
	for deadline := time.Now().Add(h.Timeout); ; time.Sleep(10 * time.Millisecond) {
		if alive = processesWith(markVariable + "=" + mark); len(alive) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("processes of the agent are alive after Run has returned: %q", alive)
			return
		}
	}
}

// processesWith returns the command lines of the processes that have a variable in their environment.
func processesWith(variable string) (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environ, err := os.ReadFile(file) // fails for processes of other users, and is empty for zombies
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, variable+"\x00"...)) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		all = append(all, string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
	}
	return all
}
