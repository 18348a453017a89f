// Package natstest runs NATS inside a test.
package natstest

import (
	"log"
	"net"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// patience is how long NATS may take to start on a machine that is busy.
const patience = 30 * time.Second

// options returns the options of a server with JetStream at a free port. Streams reserve
// their limits in bytes; the storage is larger than all reservations, whatever the disk has.
func options(name, dir string) server.Options {
	return server.Options{
		ServerName: name, Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: 1 << 40, JetStreamMaxMemory: 1 << 40,
	}
}

// Server is NATS with JetStream. It can be stopped, and started again with its data.
type Server struct {
	opts    server.Options
	running *server.Server
}

// Start starts a server, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	return start(t, options("test", t.TempDir()))
}

// StartWithStorage starts a server that has storage for a number of bytes in files. It ends
// with the test.
func StartWithStorage(t testing.TB, bytes int64) *Server {
	t.Helper()
	opts := options("test", t.TempDir())
	opts.JetStreamMaxStore = bytes
	return start(t, opts)
}

func start(t testing.TB, opts server.Options) *Server {
	t.Helper()
	s := &Server{opts: opts}
	s.Restart(t)
	t.Cleanup(s.Stop)
	return s
}

// Serve starts a server for an Example, which has no test to end it.
func Serve() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "nats")
	if err != nil {
		log.Fatal(err)
	}
	opts := options("example", dir)
	s, err := server.NewServer(&opts)
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		log.Fatal("NATS does not start")
	}
	return s.ClientURL(), func() {
		s.Shutdown()
		s.WaitForShutdown()
		os.RemoveAll(dir)
	}
}

// URL is where the server listens, also after it was started again.
func (s *Server) URL() string { return s.running.ClientURL() }

// Stop stops the server.
func (s *Server) Stop() {
	s.running.Shutdown()
	s.running.WaitForShutdown()
}

// Restart starts the server again at the same address.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	opts := s.opts
	running, err := server.NewServer(&opts)
	if err != nil {
		t.Fatalf("making a NATS server: %v", err)
	}
	s.running = running
	running.Start()
	if !running.ReadyForConnections(patience) {
		t.Fatal("the NATS server does not start")
	}
	if address, ok := running.Addr().(*net.TCPAddr); ok {
		s.opts.Port = address.Port
	}
}

// Connect returns a connection to the server, which ends with the test.
func (s *Server) Connect(t testing.TB) *nats.Conn {
	t.Helper()
	return Connect(t, s.URL())
}

// Connect returns a connection, which ends with the test.
func Connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	closed := make(chan struct{})
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	if err != nil {
		t.Fatalf("connecting to NATS: %v", err)
	}
	t.Cleanup(func() {
		nc.Close()
		<-closed
	})
	return nc
}
