//go:build unix

package vscode

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// checkSocket refuses a socket that another user could have created.
func checkSocket(socket string) error {
	if !presence.IsPath(socket) {
		return fmt.Errorf("its socket, %.100q, is not an absolute path", socket)
	}
	info, err := os.Lstat(filepath.Dir(socket))
	if err != nil {
		return err
	}
	if !info.IsDir() || !local.IsPrivate(info) {
		return fmt.Errorf("its socket is in a directory that others can use, %s", filepath.Dir(socket))
	}
	return nil
}
