package natstest

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
)

// Link is a way to a server that can be cut.
type Link struct{ r *relay }

// Link makes a way to the server, which ends with the test.
func (s *Server) Link(t testing.TB) *Link {
	t.Helper()
	r := startRelay(t)
	r.lead(func() net.Addr { return s.running.Addr() })
	return &Link{r}
}

// URL is where the way begins.
func (l *Link) URL() string { return "nats://" + l.r.address() }

// Cut closes all connections, and refuses others.
func (l *Link) Cut() { l.r.cut() }

// Heal ends that.
func (l *Link) Heal() { l.r.heal() }

// relay hands on connections, as long as it is not cut.
type relay struct {
	listener net.Listener
	running  group.Group

	mu     sync.Mutex
	to     func() net.Addr
	broken bool
	open   map[net.Conn]bool
}

func startRelay(t testing.TB) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l, open: make(map[net.Conn]bool)}
	r.running.Go(r.accept)
	t.Cleanup(func() {
		l.Close()
		r.cut()
		r.running.Wait()
	})
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }

// lead says where it leads.
func (r *relay) lead(to func() net.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
}

func (r *relay) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.relay(conn) })
	}
}

// relay hands on one connection.
func (r *relay) relay(near net.Conn) {
	defer near.Close()
	r.mu.Lock()
	to := r.to
	r.mu.Unlock()
	if to == nil {
		return
	}
	address := to()
	if address == nil {
		return
	}
	far, err := net.Dial("tcp", address.String())
	if err != nil {
		return
	}
	defer far.Close()
	if !r.enter(near, far) {
		return
	}
	defer r.leave(near, far)
	var back group.Group
	back.Go(func() {
		_, _ = io.Copy(near, far) // until either is closed
		near.Close()
	})
	_, _ = io.Copy(far, near)
	far.Close()
	back.Wait()
}

func (r *relay) enter(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		r.open[c] = true
	}
	if r.broken {
		for _, c := range conns {
			delete(r.open, c)
		}
	}
	return !r.broken
}

func (r *relay) leave(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		delete(r.open, c)
	}
}

// cut closes the open connections and refuses new ones.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = true
	for c := range r.open {
		c.Close()
	}
}

func (r *relay) heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = false
}
