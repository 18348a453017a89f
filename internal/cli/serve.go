package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// serve speaks MCP on standard input and output, or where the flags say. On a
// terminal, where a person looks on, it first says what it is and how a client
// gets to it.
func (a *App) serve(ctx context.Context, flags *flag.FlagSet) error {
	if flags.NArg() > 0 {
		fmt.Fprintf(a.Stderr, "%s: serve takes no arguments, got %q\n", a.Name, flags.Args())
		return errUsage
	}
	return a.withServer(ctx, func(s *mcp.Server, opts *transport.Options) error {
		if a.options.remote.isOn() {
			endpoints, err := a.endpoints(ctx, opts)
			if err != nil {
				return err
			}
			return transport.Serve(ctx, s, endpoints...)
		}
		if in, ok := a.Stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
			a.explain(s)
		}
		return stdio{a, opts}.Serve(ctx, s)
	})
}

// explain tells a person at a terminal what to do.
func (a *App) explain(s *mcp.Server) {
	command, args := a.howToStart()
	config, err := json.MarshalIndent(map[string]any{
		"mcpServers": map[string]any{a.Name: map[string]any{"command": command, "args": args}},
	}, "  ", "  ")
	if err != nil {
		return // strings always encode
	}
	fmt.Fprintf(a.Stderr, `%s %s — %s
It speaks MCP on standard input and output, and offers %d tools; "%s tools" shows them.

To connect a client, put this into its configuration (Cursor: .cursor/mcp.json,
Claude Desktop: claude_desktop_config.json):

  %s

Waiting for messages. End with Ctrl+D or Ctrl+C.
`, a.Name, a.Version, a.Summary, len(s.Tools()), a.Name, config)
}

// howToStart is the command line by which a client starts this program for the
// current directory. What "go run" has built is gone when it ends.
func (a *App) howToStart() (command string, args []string) {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	program, err := os.Executable()
	if err != nil {
		return a.Name, []string{"-root", dir}
	}
	if strings.Contains(filepath.ToSlash(program), "/go-build") {
		return "go", []string{"run", "-C", dir, "./examples/" + a.Name, "-root", dir}
	}
	return program, []string{"-root", dir}
}
