package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/usertoken"
	"github.com/dougu-go/dougu/tools"
	crew "github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/localuser"
)

// serve is "crew serve".
type serve struct {
	*common
	listen, dashboard, config string
	noToken                   bool
	concurrent                int
	executors                 []agents.ExecutorOptions
}

func (s *serve) flags(flags *flag.FlagSet) {
	flags.StringVar(&s.listen, "listen", "127.0.0.1:3001", "`address` to listen on for MCP")
	flags.StringVar(&s.dashboard, "dashboard", dashboard.DefaultAddress, "`address` of the dashboard")
	flags.BoolVar(&s.noToken, "no-token", false, "serve loopback addresses without a token, and refuse others")
	flags.StringVar(&s.config, "config", "kuromajutsu.config.yaml", "`file` with the roles")
	flags.IntVar(&s.concurrent, "concurrent", 100, "`number` of agents in the queue of the runners at once; each runner runs as many as it has slots")
	flags.Func("executor", "`NAME=PROGRAM[@LABEL][*ATTEMPTS]`; may be given several times, the first is the default of roles without an executor (default cursor=cursor*1)", s.executor)
}

// executor parses a value of the flag -executor.
func (s *serve) executor(text string) error {
	var x agents.ExecutorOptions
	name, rest, named := strings.Cut(text, "=")
	if !named {
		return errors.New("it is NAME=PROGRAM[@LABEL][*ATTEMPTS]")
	}
	rest, attempts, counted := strings.Cut(rest, "*")
	if counted {
		n, err := strconv.Atoi(attempts)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of attempts", attempts)
		}
		x.Attempts = n
	}
	x.Name = name
	x.Program, x.Label, _ = strings.Cut(rest, "@")
	s.executors = append(s.executors, x)
	return nil
}

func (s *serve) run(ctx context.Context, store *agents.Store) (err error) {
	var closing []func() error // the last first
	defer func() {
		for i := len(closing) - 1; i >= 0; i-- {
			err = errors.Join(err, closing[i]())
		}
	}()
	member, err := store.Serve(ctx)
	if err != nil {
		return err
	}
	closing = append(closing, member.Close)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{s.root}, Logger: slog.Default()})
	if err != nil {
		return err
	}
	closing = append(closing, root.Close)
	book, err := roles.Open(s.config)
	if err != nil {
		return err
	}
	if len(s.executors) == 0 {
		s.executors = []agents.ExecutorOptions{{Name: "cursor", Program: "cursor"}}
	}
	o := crew.Options{
		Roles: book, Store: store, Log: store.Log(), Outputs: store.Outputs(), Peers: member,
		MaxConcurrent: s.concurrent, MaxQueued: 10_000, MaxPerHour: 10_000, Stagger: -1,
	}
	for _, x := range s.executors {
		o.Executors = append(o.Executors, executor.Executor(member.Executor(x)))
	}
	set, err := crew.New(ctx, tools.Env{Root: root, Log: slog.Default()}, o)
	if err != nil {
		return err
	}
	closing = append(closing, func() error { return set.Close(context.WithoutCancel(ctx)) })
	token, err := s.token()
	if err != nil {
		return err
	}
	page, err := s.show(ctx, store, book, set, token)
	if err != nil {
		return err
	}
	closing = append(closing, func() error { return page.Close(context.WithoutCancel(ctx)) })
	return s.offer(ctx, set, token)
}

// token returns the token of the user, for clients and the dashboard; empty for none.
// A new one is shown once.
func (s *serve) token() (string, error) {
	if s.noToken {
		return "", nil
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		settings = "" // the token is good for this run then
	}
	t, err := usertoken.Load(settings, "crew")
	switch {
	case err != nil:
		return "", err
	case t.Unkept != nil:
		slog.Warn("the token could not be kept and is good for this run alone", "token", t.Text, "error", t.Unkept)
	case t.New:
		slog.Info("the token is shown this once", "token", t.Text, "file", t.File)
	default:
		slog.Info("clients need the token", "file", t.File)
	}
	return t.Text, nil
}

// show serves the dashboard.
func (s *serve) show(ctx context.Context, store *agents.Store, book *roles.Book, set *crew.Agents, token string) (*dashboard.Dashboard, error) {
	page, err := dashboard.New(dashboard.Options{
		Store: store, Events: store.Log(), Outputs: store.Outputs(), Roles: book, Agents: set,
		Name: "crew", Version: "1.0.0", Language: "en", MaxConcurrent: s.concurrent, Log: slog.Default(),
		Token: token, Open: s.noToken,
	})
	if err != nil {
		return nil, err
	}
	if _, err := page.Listen(ctx, s.dashboard); err != nil {
		return nil, errors.Join(err, page.Close(ctx))
	}
	slog.Info("dashboard", "page", page.URL(false))
	return page, nil
}

// offer serves the tools.
func (s *serve) offer(ctx context.Context, set *crew.Agents, token string) error {
	srv := mcp.NewServer(mcp.Implementation{Name: "crew", Version: "1.0.0"}, &mcp.ServerOptions{Authorize: auth.Authorize})
	installed, err := tools.Install(srv, "agents", tools.Profile{}, set)
	if err != nil {
		return err
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", s.listen)
	if err != nil {
		return err
	}
	endpoint := &transport.HTTP{Listener: l, Routes: map[string]transport.Route{"/mcp": httpserver.Options{}}}
	if endpoint.Listener, endpoint.Wrap, err = guard(l, token); err != nil {
		return errors.Join(err, l.Close(), installed.Close(context.WithoutCancel(ctx)))
	}
	slog.Info("listening", "url", "http://"+l.Addr().String()+"/mcp")
	return errors.Join(endpoint.Serve(ctx, srv), installed.Close(context.WithoutCancel(ctx)))
}

// guard lets clients with the token in. Without a token it refuses other users, and
// addresses that other machines can reach.
func guard(l net.Listener, token string) (net.Listener, func(http.Handler) http.Handler, error) {
	if token == "" {
		if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
			return nil, nil, fmt.Errorf("%s can be reached by other machines: leave out -no-token", l.Addr())
		}
		return localuser.Listen(l, slog.Default()), nil, nil
	}
	known, err := auth.NewTokens("client", token)
	if err != nil {
		return nil, nil, err
	}
	return l, known.Wrap, nil
}
