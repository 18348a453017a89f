package main

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/term"
)

// usage is the format of the explanation. Its argument is the file of the program.
const usage = `hello is an MCP server with one tool, greet. It takes no arguments: an MCP client starts it with this in its configuration,
and speaks with it on standard input and output.

  {"mcpServers": {"hello": {"command": %q}}}

On a terminal you are the client: enter the following line, and end with Ctrl+D.

{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"World"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}

`

// explain prints the usage on a terminal. With arguments it ends the program: with exit code 0 after a request for help, otherwise with 2.
func explain() {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	switch {
	case len(os.Args) > 1 && slices.Contains([]string{"help", "-h", "-help", "--help"}, os.Args[1]):
		fmt.Printf(usage, program)
		os.Exit(0)
	case len(os.Args) > 1:
		fmt.Fprintf(os.Stderr, usage+"hello: it takes no arguments, got %q\n", program, os.Args[1:])
		os.Exit(2)
	case term.IsTerminal(int(os.Stdin.Fd())):
		fmt.Fprintf(os.Stderr, usage, program)
	}
}
