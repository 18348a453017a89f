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

// Server is NATS with JetStream. It can be stopped, and started again with its data.
type Server struct {
	opts    server.Options
	running *server.Server
}

// Start starts a server, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{opts: server.Options{
		ServerName: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
	}}
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
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
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
