// Package front has the flags, the listener and the probe of every measured server.
//
// Without flags a server uses standard input and output. With -http it listens and prints its URL to standard output on one line.
// With -probe the URL of its probe follows on another line.
package front

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/dougu-go/dougu/bench/probe"
	"golang.org/x/sync/errgroup"
)

// Path is the URL path of MCP over HTTP, and SocketPath over WebSocket.
const (
	Path       = "/mcp"
	SocketPath = "/ws"
)

// Settings are the values of a server's flags.
type Settings struct {
	Tools    int    // number of tools
	HTTP     string // listening address; empty for standard input and output
	Sessions bool   // serve legacy revisions with sessions, if a server supports only one kind
	Fixture  bool   // also serve a resource and a prompt
	probe    bool
	attached bool
}

// Parse reads the flags of the process.
func Parse() Settings {
	var s Settings
	flag.IntVar(&s.Tools, "tools", 50, "how many tools to serve")
	flag.StringVar(&s.HTTP, "http", "", "listen on this `address`, for example 127.0.0.1:0, and print the URL")
	flag.BoolVar(&s.Sessions, "sessions", false, "with -http: serve revisions with sessions, where only one or the other is possible")
	flag.BoolVar(&s.Fixture, "fixture", false, "serve a resource and a prompt too, for tests of clients")
	flag.BoolVar(&s.probe, "probe", false, "with -http: serve memory statistics and profiles on another port, and print its URL")
	flag.BoolVar(&s.attached, "attached", false, "with -http: end when standard input ends")
	flag.Parse()
	return s
}

// Listen opens the listener of the server and prints its URL. The server ends with a signal, or as -attached says.
func (s Settings) Listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", s.HTTP)
	if err != nil {
		return nil, err
	}
	fmt.Printf("http://%s%s\n", listener.Addr(), Path)
	var beside errgroup.Group // runs until the process ends
	if s.probe {
		port, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		fmt.Printf("http://%s/\n", port.Addr())
		beside.Go(func() error { return http.Serve(port, probe.Handler()) })
	}
	if s.attached {
		beside.Go(func() error {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
			return nil
		})
	}
	return listener, nil
}

// Serve serves h at Path.
func (s Settings) Serve(h http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle(Path, h)
	return s.ServeMux(mux)
}

// ServeMux serves mux.
func (s Settings) ServeMux(mux *http.ServeMux) error {
	listener, err := s.Listen()
	if err != nil {
		return err
	}
	return http.Serve(listener, mux)
}
