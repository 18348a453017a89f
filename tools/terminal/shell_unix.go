//go:build unix

package terminal

import (
	"os"
	"os/exec"
	"strings"
)

// defaultShell returns bash if it is installed, otherwise sh. Models write lines for bash, and sh gives some of them another
// meaning without an error, for example {1..3} and &>.
func defaultShell() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash"} { // a sandbox contains these paths too
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "sh"
}

// shellCommand returns the command for a line in a shell. A bash under SSH would read ~/.bashrc before the line, so that is
// disabled.
func shellCommand(shell, line string) *exec.Cmd {
	if shellOf(shell) == "bash" {
		return exec.Command(shell, "--norc", "-c", line)
	}
	return exec.Command(shell, "-c", line)
}

// checkProgram accepts every program on this system.
func checkProgram(string) error { return nil }

// terminalText returns the text as a terminal types it.
func terminalText(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
