// Command client is the client that the official conformance suite tests. It connects to the URL in its last argument and plays the
// scenario in MCP_CONFORMANCE_SCENARIO. It uses only public packages.
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

// variables is the prefix of the suite's environment variables.
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
