package vscode

import (
	"fmt"
	"strings"
)

// checkSocket refuses a path that is not a named pipe of the extension.
func checkSocket(socket string) error {
	name, ok := strings.CutPrefix(socket, `\\.\pipe\dougu-`)
	if !ok || len(name) > 200 || strings.ContainsAny(name, "\\/\x00") {
		return fmt.Errorf("its socket, %.100q, is not a pipe of the extension", socket)
	}
	return nil
}
