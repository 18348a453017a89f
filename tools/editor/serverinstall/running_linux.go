package serverinstall

import (
	"bytes"
	"os"
	"path/filepath"
)

// keepsFormer reports whether an installation keeps the version before it. Linux knows which versions are running.
const keepsFormer = false

// isRunning reports whether a process of the user runs a program below a directory: its executable or one of its arguments is there.
func isRunning(dir string) bool {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return false
	}
	prefix := []byte(dir + "/")
	for _, process := range processes {
		if program, err := os.Readlink(process + "/exe"); err == nil && isBelow(program, dir) {
			return true
		}
		line, err := os.ReadFile(process + "/cmdline")
		if err == nil && bytes.Contains(line, prefix) {
			return true
		}
	}
	return false
}
