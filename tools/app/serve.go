package app

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/transport"
)

// serve is the command serve: it speaks MCP at the endpoints that the flags or the program
// select. On a terminal it first prints how to connect a client.
func (a *App) serve(ctx context.Context, flags *flag.FlagSet) error {
	if flags.NArg() > 0 {
		return a.usageError(fmt.Errorf("serve takes no arguments, got %q", flags.Args()))
	}
	defer a.expireRemoved(ctx)()
	if root := flags.Lookup(rootFlag); root != nil {
		_, several := root.Value.(*List)
		if a.followsClient() {
			if ok, err := a.serveClient(ctx, several); ok || err != nil {
				return err
			}
		}
		if len(a.options.project.dirs) == 0 {
			return fmt.Errorf("%s Name one with -%s DIR", a.options.project.missing(), rootFlag)
		}
	}
	return a.withServer(ctx, func(p *Program, opts *transport.Options) error {
		logProject(opts.Log, a.options.project)
		endpoints, err := a.selectEndpoints(ctx, p, opts)
		if err != nil {
			return err
		}
		a.Progress("")
		a.logReady(ctx, p, opts.Log)
		if a.hasTerminal() && slices.Contains(endpoints, transport.Endpoint(stdio{a, opts})) {
			a.explain(ctx, p)
		}
		return transport.Serve(ctx, p.Server, endpoints...)
	})
}

// logReady reports that the server can answer: it is built, and its listeners are open.
func (a *App) logReady(ctx context.Context, p *Program, log *slog.Logger) {
	var attrs []any
	if p.Root != nil {
		attrs = append(attrs, "project", p.Root.Dirs()[0])
	}
	if p.Tools == nil {
		attrs = append(attrs, "tools", len(p.Server.Tools()))
	}
	log.InfoContext(ctx, "server ready", attrs...)
}

// selectEndpoints returns the endpoints of the flags, or else the endpoints of the program.
func (a *App) selectEndpoints(ctx context.Context, p *Program, opts *transport.Options) ([]transport.Endpoint, error) {
	onStdio := stdio{a, opts}
	switch {
	case a.options.remote.isOn():
		return a.networkEndpoints(ctx, p, opts)
	case a.options.remote.auth.isOn():
		return nil, errors.New("-auth-issuer belongs to -http or -ws")
	case a.options.remote.stdio || p.Endpoints == nil:
		return []transport.Endpoint{onStdio}, nil
	}
	return p.Endpoints(ctx, onStdio, opts)
}

// explain prints the configuration of a client to standard error.
func (a *App) explain(ctx context.Context, p *Program) {
	tools, err := p.tools(ctx)
	if err != nil {
		return // serving reports the error
	}
	l := a.findLaunch()
	entry := map[string]any{"command": l.command}
	if len(l.args) > 0 {
		entry["args"] = l.args
	}
	config, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{a.Name: entry}}, "  ", "  ")
	if err != nil {
		return // strings always encode
	}
	columns := outputColumns(a.Stderr)
	paragraph := func(format string, args ...any) string {
		return strings.Join(wrap(fmt.Sprintf(format, args...), columns), "\n")
	}
	fmt.Fprintf(a.Stderr, "%s\n%s\n\n%s\n\n  %s\n\nWaiting for messages. End with Ctrl+D or Ctrl+C.\n",
		paragraph("%s %s — %s", a.Name, a.Version, a.Summary),
		paragraph("It speaks MCP on standard input and output, and offers %d tools; \"%s tools\" shows them.", len(tools), a.Name),
		paragraph("To connect a client: \"%s install CLIENT\", for example \"%s install cursor\"; \"%s install\" offers the clients on this machine. Or put this into the configuration of a client yourself:", a.Name, a.Name, a.Name),
		config)
}
