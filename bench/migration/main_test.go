package migration

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	gomcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// panicVariable names, in the environment of a child process, the library that serves the tool with a panic.
const panicVariable = "MIGRATION_PANIC"

func TestMain(m *testing.M) {
	if library := os.Getenv(panicVariable); library != "" {
		if err := servePanic(context.Background(), library); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// messages open a session and call the tool.
const messages = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"panic","arguments":{}}}
`

// answerOfPanic runs servePanic in a process of its own. It returns the answer to the call, or "" if the process ends without one.
func answerOfPanic(t *testing.T, library string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), panicVariable+"="+library)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, messages); err != nil {
		t.Fatal(err)
	}
	answer := ""
	for lines := bufio.NewScanner(out); answer == "" && lines.Scan(); {
		if strings.Contains(lines.Text(), `"id":2`) {
			answer = lines.Text()
		}
	}
	_ = in.Close()
	_ = cmd.Wait()
	return answer
}

// servePanic serves, on standard input and output, a tool that panics.
func servePanic(ctx context.Context, library string) error {
	switch library {
	case "go-sdk":
		srv := sdkNew()
		sdk.AddTool(srv, &sdk.Tool{Name: "panic"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) { panic("boom") })
		return srv.Run(ctx, &sdk.StdioTransport{})
	case "mcp-go":
		srv := server.NewMCPServer("test", "1")
		srv.AddTool(gomcp.NewTool("panic"), func(context.Context, gomcp.CallToolRequest) (*gomcp.CallToolResult, error) { panic("boom") })
		return server.ServeStdio(srv)
	default:
		srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, nil)
		err := mcp.AddTool(srv, mcp.Tool{Name: "panic"}, func(context.Context, struct{}) (string, error) { panic("boom") })
		if err != nil {
			return err
		}
		return transport.ServeStdio(ctx, srv, nil)
	}
}
