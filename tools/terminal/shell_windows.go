package terminal

import (
	"os/exec"
	"strings"
	"syscall"
)

// defaultShell returns the shell that every Windows has. A bash there is that of another system, with other paths.
func defaultShell() string { return "cmd" }

// shellCommand runs a line in a shell. cmd reads its command line itself: what is
// between the outer quotes is the line.
func shellCommand(shell, line string) *exec.Cmd {
	if name := strings.ToLower(shell); !strings.HasSuffix(strings.TrimSuffix(name, ".exe"), "cmd") {
		return exec.Command(shell, "-c", line)
	}
	cmd := exec.Command(shell)
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c "` + line + `"`}
	return cmd
}

// checkProgram refuses batch files: cmd would read their arguments as commands.
func checkProgram(path string) error {
	switch name := strings.ToLower(strings.TrimRight(path, ". ")); {
	case strings.HasSuffix(name, ".bat"), strings.HasSuffix(name, ".cmd"):
		return invalid("Give the whole line as command, without args.", "%s is a batch file, whose arguments a shell would read", quote(path))
	}
	return nil
}

// typed is a text as it is typed at a terminal.
func typed(text string) string { return text }
