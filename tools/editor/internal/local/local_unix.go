//go:build unix

package local

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// Dial connects to a Unix socket.
func Dial(ctx context.Context, path string) (Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// IsPrivate reports whether a file or directory belongs to this user and no other user can access it.
func IsPrivate(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}

// IsAlive reports whether a process with this id exists.
func IsAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
