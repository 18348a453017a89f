package transport

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// listenUnix returns a listener on a Unix socket with mode 0600. A socket file
// at the same path without a listener, which a killed process leaves behind, is
// replaced. Any other file there is an error.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	config := net.ListenConfig{Control: restrictSocket}
	l, err := config.Listen(ctx, "unix", path)
	if err != nil && isStaleSocket(ctx, path) {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		l, err = config.Listen(ctx, "unix", path)
	}
	if err != nil || strings.HasPrefix(path, "@") { // no file
		return l, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// isStaleSocket reports whether path is a socket file without a listener.
func isStaleSocket(ctx context.Context, path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
	}
	return isRefused(err)
}
