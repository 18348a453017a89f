package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

var exampleInfo = mcp.Implementation{Name: "example", Version: "1.0.0"}

// exampleGreeter returns a server with one tool.
func exampleGreeter() *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	if err := mcp.AddTool(srv, mcp.Tool{Name: "greet"}, func(context.Context, struct{}) (string, error) { return "Hello", nil }); err != nil {
		log.Fatal(err)
	}
	return srv
}

// A client starts a server as a child process, which has its own environment and ends with the connection.
func ExampleCommand() {
	client, err := mcp.Connect(context.Background(), transport.Command{
		Path:    "cursorcli",
		Args:    []string{"-root", "/srv/project"},
		Environ: []string{"PATH=/usr/bin:/bin", "HOME=/home/ada"}, // nothing else is inherited
		Stderr:  func(line string) { log.Print("server: ", line) },
	}, exampleInfo, nil)
	if err != nil {
		log.Fatal(err) // names the program, its exit code and its last lines on standard error
	}
	defer client.Close()
}

// Serve runs until a signal ends the context. Open requests may finish, then all endpoints have ended.
func ExampleServe() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := transport.Serve(ctx, exampleGreeter(),
		transport.Stdio{},
		transport.HTTP{Address: "127.0.0.1:3000", Routes: map[string]transport.Route{"/mcp": httpserver.Options{}}},
	)
	if err != nil {
		log.Fatal(err)
	}
}

// The same for standard input and output alone: the server ends with its input, or with the context.
func ExampleServeStdio() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := transport.ServeStdio(ctx, exampleGreeter(), nil); err != nil {
		log.Fatal(err)
	}
}

// A Unix socket serves the programs of one user; its file has mode 0600.
func ExampleListen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "tools.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- transport.Serve(ctx, exampleGreeter(), transport.Listen{Listener: listener}) }()

	client, err := mcp.Connect(ctx, transport.Dial{Network: "unix", Address: socket}, exampleInfo, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mcp.Call[string](ctx, client, "greet", nil))
	fmt.Println("closed:", client.Close())
	stop()
	fmt.Println("served:", <-ended)
	// Output:
	// Hello <nil>
	// closed: <nil>
	// served: <nil>
}

// Wrap puts a handler around all routes. Here it authenticates; package security/auth has handlers for tokens.
func ExampleHTTP() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	endpoint := transport.HTTP{
		Listener: listener,
		Routes:   map[string]transport.Route{"/mcp": httpserver.Options{}},
		Wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer secret" {
					http.Error(w, "unknown token", http.StatusUnauthorized)
					return
				}
				next.ServeHTTP(w, r.WithContext(protocol.WithPrincipal(r.Context(), "alice")))
			})
		},
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- transport.Serve(ctx, exampleGreeter(), endpoint) }()

	url := "http://" + listener.Addr().String() + "/mcp"
	for _, header := range []http.Header{nil, {"Authorization": {"Bearer secret"}}} {
		client, err := mcp.Connect(ctx, &httpclient.Client{URL: url, Header: header}, exampleInfo, nil)
		if err != nil {
			fmt.Println("refused")
			continue
		}
		fmt.Println(mcp.Call[string](ctx, client, "greet", nil))
		if err := client.Close(); err != nil {
			log.Fatal(err)
		}
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// refused
	// Hello <nil>
	// <nil>
}

// InProcess connects without a stream: a request is a call of the server, in the goroutine and the context of the caller.
func ExampleInProcess() {
	ctx := protocol.WithPrincipal(context.Background(), "alice")
	srv := mcp.NewServer(mcp.Implementation{Name: "local", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "who_am_i"}, func(ctx context.Context, _ struct{}) (string, error) { return protocol.PrincipalFrom(ctx), nil })
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InProcess{Server: srv}, exampleInfo, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(mcp.Call[string](ctx, client, "who_am_i", nil))
	// Output: alice <nil>
}

// A listener of the program's own, for example from systemd.
func ExampleServeListener() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- transport.ServeListener(ctx, exampleGreeter(), listener, nil) }()
	client, err := mcp.Connect(ctx, transport.Dial{Network: "tcp", Address: listener.Addr().String()}, exampleInfo, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mcp.Call[string](ctx, client, "greet", nil))
	fmt.Println(client.Close())
	stop()
	fmt.Println(<-ended)
	// Output:
	// Hello <nil>
	// <nil>
	// <nil>
}

// A transport of one's own carries frames. Here it is a pipe of lines; a Stream for a serial line or a message queue is the same.
func ExampleServeStream() {
	in := bytes.NewBufferString(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	stream := transport.NewLines(in, os.Stdout, func() error { return nil }, 1<<20)
	if err := transport.ServeStream(context.Background(), exampleGreeter(), stream, protocol.Peer{Transport: "pipe"}, nil); err != nil {
		log.Fatal(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

// serial is a transport over a connection that the program opens itself.
type serial struct{ port net.Conn }

func (s serial) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	return transport.ConnectStream(ctx, transport.NewLines(s.port, s.port, s.port.Close, 1<<20), host, nil)
}

// The client side of a transport of one's own. ServeStream is its server side.
func ExampleConnectStream() {
	ours, theirs := net.Pipe()
	served := make(chan error)
	go func() {
		stream := transport.NewLines(theirs, theirs, theirs.Close, 1<<20)
		served <- transport.ServeStream(context.Background(), exampleGreeter(), stream, protocol.Peer{Transport: "serial"}, nil)
	}()
	client, err := mcp.Connect(context.Background(), serial{ours}, exampleInfo, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mcp.Call[string](context.Background(), client, "greet", nil))
	fmt.Println(client.Close(), <-served)
	// Output:
	// Hello <nil>
	// <nil> <nil>
}
