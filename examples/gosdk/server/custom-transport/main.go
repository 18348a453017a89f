// Command custom-transport serves on a transport of its own: one message a line on standard input and output.
package main

import (
	"bufio"
	"context"
	"io"
	"log"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// lines is a transport.Stream.
type lines struct {
	in  *bufio.Reader
	out io.Writer
}

func (l lines) Read() ([]byte, error) { return l.in.ReadBytes('\n') }

func (l lines) Write(messages []byte) error {
	_, err := l.out.Write(messages)
	return err
}

func (lines) Close() error { return os.Stdin.Close() }

type args struct {
	Name string `json:"name" jsonschema:"the name to say hi to"`
}

func greet(_ context.Context, in args) (string, error) { return "Hi " + in.Name, nil }

func main() {
	server := mcp.NewServer(mcp.Implementation{Name: "greeter"}, nil)
	if err := mcp.AddTool(server, mcp.Tool{Name: "greet", Description: "say hi"}, greet); err != nil {
		log.Fatal(err)
	}
	stream := lines{in: bufio.NewReader(os.Stdin), out: os.Stdout}
	if err := transport.ServeStream(context.Background(), server, stream, protocol.Peer{}, nil); err != nil {
		log.Fatal(err)
	}
}
