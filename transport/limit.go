package transport

import (
	"net"
	"net/http"
	"sync"
)

// limitConns returns a listener with at most n open connections; further ones
// wait to be accepted. If n is not positive, the limit is 16384.
func limitConns(l net.Listener, n int) net.Listener {
	if n <= 0 {
		n = defaultMaxConns
	}
	return &limitedListener{Listener: l, slots: make(chan struct{}, n), done: make(chan struct{})}
}

// limitedListener is a listener with a limit on open connections.
type limitedListener struct {
	net.Listener
	slots chan struct{} // holds one element for each open connection
	done  chan struct{} // closed with the listener
	once  sync.Once
	err   error // the result of Close
}

// Accept implements net.Listener.
func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: conn, listener: l}, nil
}

// Close implements net.Listener. Further calls return the same error.
func (l *limitedListener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.err = l.Listener.Close()
	})
	return l.err
}

// limitedConn is a connection of a limitedListener. Closing it releases its slot.
type limitedConn struct {
	net.Conn
	listener *limitedListener
	once     sync.Once
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.listener.slots })
	return err
}

// CloseWrite closes the sending direction. If the connection has no CloseWrite,
// it does nothing.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// unusedConns is the set of connections of an HTTP server without a first
// request. http.Server.Shutdown waits up to five seconds for such connections,
// so HTTP closes them before. The zero value is ready.
type unusedConns struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// changed implements http.Server.ConnState.
func (s *unusedConns) changed(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state != http.StateNew {
		delete(s.open, conn)
		return
	}
	if s.open == nil {
		s.open = make(map[net.Conn]struct{})
	}
	s.open[conn] = struct{}{}
}

func (s *unusedConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.open {
		_ = conn.Close() // an unused connection has no request that could fail
	}
}
