// Command board is a server that runs as several instances behind a load
// balancer: a board with notes, which are kept in NATS. Whatever instance a
// request reaches, clients of every revision see one server.
//
//	board -nats nats://127.0.0.1:4222 -listen 127.0.0.1:3001 -tokens "ada=A-LONG-TOKEN"
//
// Instances need the same tokens and, for questions in revision 2026-07-28, the
// same key in BOARD_STATE_KEY: 64 hexadecimal digits.
package main

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/nats/sessions"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func main() {
	var c config
	flag.StringVar(&c.name, "name", "board", "what this instance calls itself")
	flag.StringVar(&c.nats, "nats", nats.DefaultURL, "`address` of NATS")
	flag.StringVar(&c.listen, "listen", "127.0.0.1:3001", "`address` to listen on")
	flag.StringVar(&c.tokens, "tokens", "", "who may come: `NAME=TOKEN,…`; empty is everybody")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.run(ctx); err != nil {
		slog.Error("board", "error", err)
		os.Exit(1)
	}
}

type config struct{ name, nats, listen, tokens string }

func (c *config) run(ctx context.Context) error {
	nc, err := nats.Connect(c.nats, nats.Name(c.name), nats.MaxReconnects(-1))
	if err != nil {
		return fmt.Errorf("connecting to NATS: %w", err)
	}
	defer nc.Close()
	store, err := sessions.New(ctx, nc, &sessions.Options{Prefix: "board"})
	if err != nil {
		return err
	}
	defer store.Close()
	srv, err := c.server(store)
	if err != nil {
		return err
	}
	b, err := openBoard(ctx, nc, srv, c.name)
	if err != nil {
		return err
	}
	defer b.close()
	stop, err := store.ShareChanges(srv)
	if err != nil {
		return err
	}
	defer stop()
	endpoint, err := c.endpoint(ctx, store)
	if err != nil {
		return err
	}
	return endpoint.Serve(ctx, srv)
}

func (c *config) server(store *sessions.Store) (*mcp.Server, error) {
	var opts mcp.ServerOptions
	if text := os.Getenv("BOARD_STATE_KEY"); text != "" {
		key, err := hex.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("reading BOARD_STATE_KEY: %w", err)
		}
		opts.StateKeys, opts.Spent = [][]byte{key}, store
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "board", Version: "1.0.0"}, &opts)
	return srv, srv.Err()
}

// endpoint is where the server listens: everything is as with one instance, but
// for Shared.
func (c *config) endpoint(ctx context.Context, store *sessions.Store) (*transport.HTTP, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", c.listen)
	if err != nil {
		return nil, err
	}
	slog.Info("listening", "instance", c.name, "url", "http://"+l.Addr().String()+"/mcp")
	endpoint := &transport.HTTP{Listener: l, Routes: map[string]transport.Route{"/mcp": httpserver.Options{Shared: store}}}
	if c.tokens != "" {
		tokens, err := auth.ParseTokens(c.tokens)
		if err != nil {
			return nil, fmt.Errorf("reading -tokens: %w", err)
		}
		endpoint.Wrap = tokens.Wrap
	}
	return endpoint, nil
}
