//go:build unix

package terminal

import (
	"os"
	"os/exec"
	"strings"
)

// defaultShell returns bash where it is installed: models write lines for it, and sh takes some of them for something else without
// an error, such as {1..3} and &>. The fallback is sh.
func defaultShell() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash"} { // which a sandbox has, too
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "sh"
}

// shellCommand runs a line in a shell. A bash that a server started over SSH starts would read ~/.bashrc before the line.
func shellCommand(shell, line string) *exec.Cmd {
	if shellOf(shell) == "bash" {
		return exec.Command(shell, "--norc", "-c", line)
	}
	return exec.Command(shell, "-c", line)
}

// checkProgram finds nothing wrong with a program that is given with arguments.
func checkProgram(string) error { return nil }

// typed is a text as it is typed at a terminal.
func typed(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
