package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
)

// Relay stands between a program and a Server, as a network does.
type Relay struct {
	listener net.Listener
	to       string
	running  group.Group

	mu     sync.Mutex
	frozen chan struct{} // closed while everything goes through
	open   map[net.Conn]bool
	cut    []byte // the connection breaks after it, or before
	after  bool
}

// NewRelay makes a relay, which ends with the test.
func NewRelay(t testing.TB, s *Server) *Relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{listener: listener, to: s.Socket(), frozen: make(chan struct{}), open: map[net.Conn]bool{}}
	close(r.frozen)
	r.running.Go(r.serve)
	t.Cleanup(r.close)
	return r
}

// Address is that of a database of the server, through the relay.
func (r *Relay) Address(database string) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=%s sslmode=disable", r.listener.Addr().(*net.TCPAddr).Port, database)
}

// Freeze stops all traffic without closing a connection. Thaw ends that.
func (r *Relay) Freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frozen = make(chan struct{})
}

// Thaw has everything go through again.
func (r *Relay) Thaw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.frozen)
}

// Cut breaks the next connection by which a program sends a text, before the server gets
// it or, with after, before the program gets the answer.
func (r *Relay) Cut(text string, after bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut, r.after = []byte(text), after
}

// cuts returns whether to cut the connection at the sent bytes, and whether after forwarding them.
func (r *Relay) cuts(sent []byte) (cut, after bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut == nil || !bytes.Contains(sent, r.cut) {
		return false, false
	}
	r.cut = nil
	return true, r.after
}

func (r *Relay) wait() {
	r.mu.Lock()
	frozen := r.frozen
	r.mu.Unlock()
	<-frozen
}

func (r *Relay) serve() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("unix", r.to)
		if err != nil {
			in.Close()
			continue
		}
		r.mu.Lock()
		r.open[in], r.open[out] = true, true
		r.mu.Unlock()
		r.running.Go(func() { r.copy(in, out, r.cuts) })
		r.running.Go(func() { r.copy(out, in, func([]byte) (bool, bool) { return false, false }) })
	}
}

func (r *Relay) copy(from, to net.Conn, cuts func(sent []byte) (cut, after bool)) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		r.wait()
		cut, after := cuts(buffer[:n])
		if cut {
			from.Close()
		}
		if cut && !after {
			break
		}
		if _, werr := to.Write(buffer[:n]); errors.Join(err, werr) != nil || cut {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, from)
	delete(r.open, to)
}

func (r *Relay) close() {
	r.listener.Close()
	r.mu.Lock()
	for c := range r.open {
		c.Close()
	}
	r.mu.Unlock()
	r.running.Wait()
}
