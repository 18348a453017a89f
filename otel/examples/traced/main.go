// Command traced is a server whose requests are traced: one that greets, or a
// gateway in front of others. Where to is said by the environment variables of
// OpenTelemetry.
//
//	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 traced
//	traced -listen 127.0.0.1:3001
//	traced -listen 127.0.0.1:3000 -upstream http://127.0.0.1:3001/mcp
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
	"github.com/dougu-go/dougu/otel/export"
	"github.com/dougu-go/dougu/otel/usage"
	"github.com/dougu-go/dougu/tools/telemetry"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func main() {
	var c config
	listen := flag.String("listen", "", "`address` to serve HTTP at; empty is standard input and output")
	flag.StringVar(&c.upstream, "upstream", "", "`URL` of a server to stand in front of")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := c.open(*listen)
	if err == nil {
		err = c.run(ctx)
	}
	if err != nil {
		slog.Error("traced", "error", err)
		os.Exit(1)
	}
}

type config struct {
	listener net.Listener // nil is standard input and output
	upstream string
	flush    time.Duration // 0 is the usual one
}

func (c *config) open(address string) (err error) {
	if address != "" {
		c.listener, err = net.Listen("tcp", address)
	}
	return err
}

var self = mcp.Implementation{Name: "traced", Version: "1.0.0"}

func (c *config) run(ctx context.Context) (err error) {
	exports, err := export.Start(ctx, export.Config{Service: self, FlushTimeout: c.flush})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exports.Close(context.WithoutCancel(ctx))) }()
	instruments, err := otel.New(otel.Options{Tracers: exports.Tracers, Meters: exports.Meters, Parent: otel.EnvironmentParent(os.Getenv)})
	if err != nil {
		return err
	}
	var d protocol.Dispatcher
	if c.upstream != "" {
		g, err := front(instruments, c.upstream)
		if err != nil {
			return err
		}
		defer g.Close()
		d = instruments.Dispatcher(g)
	} else if d, err = greeter(instruments, exports); err != nil {
		return err
	}
	if c.listener == nil {
		return transport.ServeStdio(ctx, d, nil)
	}
	return transport.HTTP{Listener: c.listener, Routes: map[string]transport.Route{"/mcp": httpserver.Options{}}}.Serve(ctx, d)
}

// front is a gateway whose requests to the upstream go on in the trace of the
// client's.
func front(instruments *otel.Instruments, url string) (*gateway.Gateway, error) {
	return gateway.New(gateway.Options{Info: self}, gateway.Upstream{
		Name: "up", Connect: gateway.Always(instruments.Client(&httpclient.Client{URL: url})),
	})
}

type greetArgs struct {
	Name string `json:"name" jsonschema:"minLength=1,description=Who to greet"`
}

func greet(_ context.Context, in greetArgs) (string, error) { return "Hello, " + in.Name, nil }

// greeter returns a server and registers its counts as metrics.
func greeter(instruments *otel.Instruments, exports *export.Exports) (*mcp.Server, error) {
	recorder := telemetry.NewRecorder()
	srv := mcp.NewServer(self, nil)
	srv.Use(instruments.Server, recorder.Requests)
	tool := mcp.NewTool(mcp.Tool{Name: "greet", Description: "Greets a person."}, greet)
	if err := srv.Replace("traced", mcp.Features{Tools: []mcp.ServerTool{tool.Wrap(recorder.Middleware)}}); err != nil {
		return nil, err
	}
	if exports.Meters == nil {
		return srv, nil
	}
	if _, err := usage.Observe(exports.Meters, usage.Source{Recorder: recorder}); err != nil {
		return nil, fmt.Errorf("observing what is counted: %w", err)
	}
	return srv, nil
}
