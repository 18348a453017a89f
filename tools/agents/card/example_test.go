package card_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/card"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// The server shows agents in clients that support pages.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	ctx := context.Background()
	crew, err := agents.New(ctx, tools.Env{Root: root}, agents.Options{Executors: []executor.Executor{idle{}}, Roles: idle{}, StateDir: dir})
	if err != nil {
		log.Fatal(err)
	}
	set, err := card.AddCard(crew)
	if err != nil {
		log.Fatal(err)
	}
	var o mcp.ServerOptions
	apps.Offer(&o)
	srv := mcp.NewServer(mcp.Implementation{Name: "agents", Version: "1.0.0"}, &o)
	installed, err := tools.Install(srv, "agents", tools.Profile{}, set)
	if err != nil {
		log.Fatal(err)
	}
	defer installed.Close(ctx)
	for _, page := range srv.Resources() {
		fmt.Println(page.URI)
	}
	// Output: ui://kuromajutsu/agents
}
