package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// server is a running file server for one directory, with a client.
type server struct {
	name   string
	client *mcp.Client
	cmd    *exec.Cmd
}

// Names of the compared servers.
const (
	ours      = "dougu"
	reference = "server-filesystem"
)

// start starts a file server for a directory.
func (b *bench) start(ctx context.Context, name, dir string) (*server, error) {
	s := &server{name: name, cmd: b.command(ctx, name, dir)}
	client, err := mcp.Connect(ctx, s, mcp.Implementation{Name: "bench", Version: "1"}, &mcp.ClientOptions{Timeout: -1})
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", name, err)
	}
	s.client = client
	return s, nil
}

// command returns the command that starts a server.
func (b *bench) command(ctx context.Context, name, dir string) *exec.Cmd {
	if name == ours {
		return exec.CommandContext(ctx, b.ours, "-root", dir, "-server-request-timeout-ms", "60000")
	}
	return exec.CommandContext(ctx, b.node, b.peer, dir)
}

// Connect implements protocol.Transport.
func (s *server) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	stream := transport.NewLines(stdout, stdin, stdin.Close, 64<<20)
	return transport.ConnectStream(ctx, stream, host, &transport.Options{MaxMessage: 64 << 20})
}

// close ends the server.
func (s *server) close() error {
	err := s.client.Close()
	if waited := s.cmd.Wait(); waited != nil && !errors.Is(waited, os.ErrClosed) {
		err = errors.Join(err, fmt.Errorf("ending %s: %w", s.name, waited))
	}
	return err
}

// call calls a tool and returns its result; one that failed is an error.
func (s *server) call(ctx context.Context, tool string, args map[string]any) (*mcp.ToolResult, error) {
	result, err := s.client.CallTool(ctx, tool, args, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.name, tool, err)
	}
	if result.IsError {
		return result, fmt.Errorf("%s: %s: %w: %s", s.name, tool, errTool, text(result))
	}
	return result, nil
}

// errTool is the error of a failed tool.
var errTool = errors.New("the tool failed")

func text(result *mcp.ToolResult) string {
	var b strings.Builder
	for _, block := range result.Blocks() {
		if t, ok := block.(mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
