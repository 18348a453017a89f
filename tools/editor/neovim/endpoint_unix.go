//go:build unix

package neovim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// patterns returns glob patterns of the sockets that Neovim creates by default.
func patterns() []string {
	var all []string
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		all = append(all, filepath.Join(run, "nvim.*.0"))
	} else {
		// MCP clients start servers with few variables.
		all = append(all, filepath.Join("/run/user", fmt.Sprint(os.Getuid()), "nvim.*.0"))
	}
	dirs := []string{os.TempDir()}
	if dirs[0] != "/tmp" {
		dirs = append(dirs, "/tmp")
	}
	for _, dir := range dirs {
		all = append(all, filepath.Join(dir, "nvim.*", "*", "nvim.*.0"), filepath.Join(dir, "nvim??????", "0"))
	}
	return all
}

// isOwnSocket reports whether a socket is in a directory that only this user can write, and returns its modification time.
func isOwnSocket(path string) (time.Time, bool) {
	dir, err := os.Lstat(filepath.Dir(path))
	if err != nil || !dir.IsDir() || !local.IsPrivate(dir) {
		return time.Time{}, false
	}
	socket, err := os.Lstat(path)
	if err != nil || socket.Mode().Type() != fs.ModeSocket {
		return time.Time{}, false
	}
	return socket.ModTime(), true
}

// checkAddress refuses an address that is not a socket of this user, or that another user can replace.
func checkAddress(path string) error {
	if !filepath.IsAbs(path) {
		return errors.New("it is not an absolute path")
	}
	socket, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := socket.Sys().(*syscall.Stat_t)
	if !ok || socket.Mode().Type() != fs.ModeSocket || int(stat.Uid) != os.Geteuid() {
		return errors.New("it is not a socket of this user")
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if dir.Mode().Perm()&0o022 != 0 && dir.Mode()&fs.ModeSticky == 0 {
		return errors.New("other users can replace it")
	}
	return nil
}
