package tasks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	natstasks "github.com/dougu-go/dougu/nats/tasks"
)

// Each instance of a server does this, with the same NATS. The runner is closed before
// the store, and that before the connection.
func Example() {
	natsURL, stop := natstest.Serve() // the NATS that you have
	defer stop()

	nc, err := nats.Connect(natsURL, nats.MaxReconnects(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	store, err := natstasks.New(context.Background(), nc, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	runner := tasks.New(&tasks.Options{Store: store})
	defer runner.Close()
	srv := mcp.NewServer(mcp.Implementation{Name: "reports", Version: "1.0.0"}, &mcp.ServerOptions{Tasks: runner})
	fmt.Println(srv.Err())
	// Output: <nil>
}
