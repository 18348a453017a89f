package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// Box holds the tools of sets for a program that calls them itself, for example an agent with a model of its own. A call runs as
// that of a client of a server: arguments are checked, authorization, limits of time, gates and audit apply, a panic is a
// result, and questions and progress reach the functions of the options. Its methods may be called concurrently.
type Box struct {
	server    *mcp.Server
	installed *Installation
	client    *mcp.Client
	closing   group.Group
}

// BoxOptions configures a Box. The zero value works.
type BoxOptions struct {
	// Profile selects and changes the tools.
	Profile Profile
	// Info names the program, for audit and logs. Default: the main module of the program.
	Info mcp.Implementation
	// Server has the rules of the server that the tools are in, for example Authorize and Log. Nil selects the defaults.
	Server *mcp.ServerOptions
	// Client has the functions that answer questions of tools. Without Elicit a call that asks ends with an error, as with
	// a client that has no user. Nil selects the defaults; a Timeout of 0 sets no limit beside those of the tools.
	Client *mcp.ClientOptions
	// Use is middleware around each call; the first one is the outermost.
	Use []mcp.Middleware
}

// NewBox returns a Box with the tools of sets, and owns the sets from then on. ctx limits the start. On an error the caller must
// close the sets.
func NewBox(ctx context.Context, o BoxOptions, sets ...Set) (*Box, error) {
	if o.Info.Name == "" {
		o.Info = ownModule()
	}
	b := &Box{server: mcp.NewServer(o.Info, o.Server)}
	b.server.Use(o.Use...)
	var client mcp.ClientOptions
	if o.Client != nil {
		client = *o.Client
	}
	if client.Timeout == 0 {
		client.Timeout = -1
	}
	connected, err := mcp.Connect(ctx, transport.InProcess{Server: b.server}, o.Info, &client)
	if err != nil {
		return nil, fmt.Errorf("opening a box of tools: %w", err)
	}
	b.client = connected
	if b.installed, err = Install(b.server, "box", o.Profile, sets...); err != nil {
		return nil, errors.Join(err, connected.Close())
	}
	return b, nil
}

// ownModule names the main module of the program.
func ownModule() mcp.Implementation {
	info := mcp.Implementation{Name: "program", Version: "0"}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Path != "" {
		info.Name = build.Main.Path
		if build.Main.Version != "" {
			info.Version = build.Main.Version
		}
	}
	return info
}

// Tools returns the listed tools. Package modelapi writes them in the forms of the APIs of models.
func (b *Box) Tools() []mcp.Tool { return b.server.Tools() }

// Call calls a tool with arguments in JSON; nil means none. A failure of the tool, and an argument that does not fit, is a result
// with IsError for the model. The error is an unknown tool, the end of ctx, a limit of time of the options, a question that the
// functions of the options do not answer, or a closed Box.
func (b *Box) Call(ctx context.Context, tool string, args json.RawMessage) (*mcp.ToolResult, error) {
	return b.CallWith(ctx, tool, args, nil)
}

// CallWith is Call with options, for example for progress.
func (b *Box) CallWith(ctx context.Context, tool string, args json.RawMessage, o *mcp.CallOptions) (*mcp.ToolResult, error) {
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	return b.client.CallTool(ctx, tool, args, o)
}

// Update exchanges the profile and the sets; see Installation.Update.
func (b *Box) Update(p Profile, sets ...Set) error { return b.installed.Update(p, sets...) }

// Close ends running calls and closes the sets in their order. If ctx ends first, for example because a handler ignores its
// context, Close returns an error and closing continues in the background.
func (b *Box) Close(ctx context.Context) error {
	closed := make(chan error, 1)
	b.closing.Go(func() { closed <- b.client.Close() })
	var err error
	select {
	case err = <-closed:
	case <-ctx.Done():
	}
	return errors.Join(err, b.installed.Close(ctx))
}
