// Package localuser keeps other users of the machine from a server on a loopback
// address, where the kernel tells the user of a connection.
//
// On Linux the table of TCP sockets in /proc/net names the owner of the other end.
// Elsewhere, and in sandboxes without that table, every connection is accepted.
package localuser

import (
	"log/slog"
	"net"
)

// Listen returns a listener that closes connections of other users than that of this
// process and root. It returns l itself if l is not on a loopback address, or the
// kernel does not tell users. A refused connection is logged.
func Listen(l net.Listener, log *slog.Logger) net.Listener {
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok || !addr.IP.IsLoopback() || !known(addr) {
		return l
	}
	return &listener{Listener: l, log: log}
}

type listener struct {
	net.Listener
	log *slog.Logger
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if err = check(conn); err == nil {
			return conn, nil
		}
		l.log.Warn("a connection was refused; clients of other users need a server with a token", "reason", err)
		_ = conn.Close() // the other end learns no more
	}
}
