//go:build unix

package terminal

import (
	"os/exec"
	"strings"
)

const defaultShell = "sh"

// shellCommand runs a line in a shell.
func shellCommand(shell, line string) *exec.Cmd { return exec.Command(shell, "-c", line) }

// checkProgram finds nothing wrong with a program that is given with arguments.
func checkProgram(string) error { return nil }

// typed is a text as it is typed at a terminal.
func typed(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
