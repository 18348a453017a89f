package transport

import (
	"net"
	"net/http"
	"sync"
)

// limitConns makes a listener that has at most n connections open at once, or
// the default number; more wait to be accepted.
func limitConns(l net.Listener, n int) net.Listener {
	if n <= 0 {
		n = defaultMaxConns
	}
	return &limitedListener{Listener: l, slots: make(chan struct{}, n), done: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	slots chan struct{} // holds one for every open connection
	done  chan struct{} // closed with the listener
	once  sync.Once
	err   error // of closing
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

// Close implements net.Listener. It may be called again.
func (l *limitedListener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.err = l.Listener.Close()
	})
	return l.err
}

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

// CloseWrite tells the peer that nothing more comes, where the network can.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// silentConns are the connections of an HTTP server on which no request has
// come yet. The server would wait for them when it shuts down. The zero value is
// ready.
type silentConns struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// changed is the server's ConnState.
func (s *silentConns) changed(conn net.Conn, state http.ConnState) {
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

func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.open {
		_ = conn.Close() // nobody is there to be told
	}
}
