// Command distributed serves HTTP with several processes: it starts itself once for each of the ports and distributes requests to them
// in turn.
//
//	distributed -http 127.0.0.1:8080 -child_ports 8081,8082
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

const portVar = "MCP_CHILD_PORT"

func main() {
	address := flag.String("http", "", "address to serve at")
	ports := flag.String("child_ports", "", "ports of the processes, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch port := os.Getenv(portVar); {
	case port != "":
		err = child(ctx, port)
	case *address == "" || *ports == "":
		log.Fatal("must provide -http and -child_ports")
	default:
		err = parent(ctx, *address, strings.Split(*ports, ","))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// parent starts the children and serves until ctx ends.
func parent(ctx context.Context, address string, ports []string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop() // before the wait, also if the address is in use
	for _, port := range ports {
		cmd := exec.CommandContext(ctx, exe)
		cmd.Env, cmd.Stderr = append(os.Environ(), portVar+"="+port), os.Stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		workers.Go(func() { log.Printf("child at port %s ended: %v", port, cmd.Run()) })
	}
	var next atomic.Uint64
	server := &http.Server{Addr: address, Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: "localhost:" + ports[next.Add(1)%uint64(len(ports))]})
	}}}
	workers.Go(func() {
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // remaining requests end with the program
	})
	log.Printf("serving at %s", address)
	if err := server.ListenAndServe(); ctx.Err() == nil {
		return err
	}
	return nil
}

type counted struct{ Count int64 }

// child serves a tool that counts its calls.
func child(ctx context.Context, port string) error {
	server := mcp.NewServer(mcp.Implementation{Name: "counter"}, nil)
	var count atomic.Int64
	err := mcp.AddTool(server, mcp.Tool{Name: "inc"}, func(ctx context.Context, _ mcp.None) (counted, error) {
		n := count.Add(1)
		//lint:ignore SA1019 logging is deprecated, and works with every revision
		mcp.Log(ctx, protocol.LevelInfo, "", fmt.Sprintf("request %d", n))
		return counted{n}, nil
	})
	if err != nil {
		return err
	}
	return transport.Serve(ctx, server, transport.HTTP{
		Address: "localhost:" + port, Routes: map[string]transport.Route{"/": httpserver.Options{}},
	})
}
