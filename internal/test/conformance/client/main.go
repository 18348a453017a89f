// Command client is what the official conformance suite makes its own servers
// talk to: it connects to the URL that is its last argument and does what the
// scenario in MCP_CONFORMANCE_SCENARIO wants done, with the public packages
// alone.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpclient"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// variables is how the names of the suite's environment variables begin.
const variables = "MCP_CONFORMANCE_"

// run connects, plays the scenario and closes the connection.
func run(ctx context.Context, args []string, env func(string) string) error {
	if len(args) == 0 {
		return errors.New("the URL of a server is missing")
	}
	name := env(variables + "SCENARIO")
	play, ok := scenarios[name]
	if !ok {
		return fmt.Errorf("there is no scenario %q", name)
	}
	server, given := args[len(args)-1], json.RawMessage(env(variables+"CONTEXT"))
	t := &httpclient.Client{URL: server}
	if strings.HasPrefix(name, "auth/") {
		tokens, err := authorizing(ctx, name, server, given)
		if err != nil {
			return err
		}
		defer tokens.Close()
		t.HTTPClient = &http.Client{Transport: tokens.Transport(server, nil)}
	}
	client, err := mcp.Connect(ctx, t, mcp.Implementation{Name: "dougu-conformance-client", Version: "1.0.0"}, options(name))
	if err != nil {
		return err
	}
	return errors.Join(play(ctx, client, given), client.Close())
}
