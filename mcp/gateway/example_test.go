package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// A gateway combines two servers; only root sees all tools.
func Example() {
	files, admin := newServer("files"), newServer("admin")
	g, err := gateway.New(gateway.Options{
		Info: mcp.Implementation{Name: "office", Version: "1.0.0"},
		Filter: func(_ context.Context, req *protocol.Request, upstream string, tool mcp.Tool) error {
			if upstream == "admin" && req.Peer.Principal != "root" {
				return errors.New("only root may use " + tool.Name)
			}
			return nil
		},
	},
		gateway.Upstream{Name: "files", Server: files},
		gateway.Upstream{Name: "admin", Server: admin, Deny: []string{"format_*"}},
	)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	client, err := mcp.Connect(context.Background(), transport.InMemory{Server: g}, mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for tool, err := range client.Tools(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name)
	}
	said, err := mcp.Call[string](context.Background(), client, "files_echo", map[string]string{"text": "hello"})
	fmt.Println(said, err)
	_, err = mcp.Call[string](context.Background(), client, "admin_echo", map[string]string{"text": "hello"})
	fmt.Println(err)
	// Output:
	// files_echo
	// files_count
	// files_deploy
	// files_wait
	// files says hello <nil>
	// admin_echo: only root may use admin_echo
}

// Set replaces upstreams while the gateway serves; unchanged ones keep their connections.
func ExampleGateway_Set() {
	one := gateway.Upstream{Name: "one", Version: "1", Server: newServer("one")}
	g, err := gateway.New(gateway.Options{}, one)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	if err := g.Set(one, gateway.Upstream{Name: "two", Version: "1", Server: newServer("two")}); err != nil {
		log.Fatal(err)
	}
	g.Start(context.Background())
	for _, status := range g.Status() {
		fmt.Println(status.Name, status.State, status.Tools)
	}
	// Output:
	// one ready 4
	// two ready 4
}
