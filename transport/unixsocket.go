package transport

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// listenUnix makes a Unix socket that its owner alone can connect to. A socket
// at the same path that nobody listens on, as a process leaves it that was
// killed, is replaced; anything else there is an error.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	config := net.ListenConfig{Control: privateSocket}
	l, err := config.Listen(ctx, "unix", path)
	if err != nil && abandoned(ctx, path) {
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

// abandoned reports whether path is a socket without a listener.
func abandoned(ctx context.Context, path string) bool {
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
