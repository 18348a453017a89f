package vscode

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/windows"
)

// checkSocket refuses a path that is not a named pipe of the extension.
func checkSocket(socket string) error {
	name, ok := strings.CutPrefix(socket, `\\.\pipe\dougu-`)
	if !ok || len(name) > 200 || strings.ContainsAny(name, "\\/\x00") {
		return fmt.Errorf("its socket, %.100q, is not a pipe of the extension", socket)
	}
	return nil
}

// isAlive reports whether a process with this id exists.
func isAlive(pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	const stillActive = 259
	var code uint32
	return windows.GetExitCodeProcess(process, &code) == nil && code == stillActive
}
