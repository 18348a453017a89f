package terminal

import (
	"os/exec"
	"strings"
	"syscall"
)

// defaultShell returns cmd. A bash on Windows belongs to another system with other paths.
func defaultShell() string { return "cmd" }

// shellCommand returns the command for a line in a shell. cmd parses its command line itself: the line is between the outer
// quotes.
func shellCommand(shell, line string) *exec.Cmd {
	if name := strings.ToLower(shell); !strings.HasSuffix(strings.TrimSuffix(name, ".exe"), "cmd") {
		return exec.Command(shell, "-c", line)
	}
	cmd := exec.Command(shell)
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c "` + line + `"`}
	return cmd
}

// checkProgram refuses batch files, because cmd would parse their arguments as commands.
func checkProgram(path string) error {
	switch name := strings.ToLower(strings.TrimRight(path, ". ")); {
	case strings.HasSuffix(name, ".bat"), strings.HasSuffix(name, ".cmd"):
		return invalid("Give the whole line as command, without args.", "%s is a batch file, whose arguments a shell would read", quote(path))
	}
	return nil
}

// terminalText returns the text as a terminal types it.
func terminalText(text string) string { return text }
