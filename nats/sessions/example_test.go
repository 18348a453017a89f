package sessions_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/nats/sessions"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// Each instance of a server does this, with the same NATS.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	natsURL, stop := natstest.Serve() // the NATS that you have
	defer stop()

	srv := mcp.NewServer(mcp.Implementation{Name: "demo", Version: "1.0.0"}, nil)
	nc, err := nats.Connect(natsURL, nats.MaxReconnects(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	store, err := sessions.New(ctx, nc, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	if _, err := store.ShareChanges(srv); err != nil {
		log.Fatal(err)
	}
	endpoint := transport.HTTP{
		Address: "127.0.0.1:0",
		Routes:  map[string]transport.Route{"/mcp": httpserver.Options{Shared: store}},
	}
	cancel() // a server goes on until it is told to end
	fmt.Println(endpoint.Serve(ctx, srv))
	// Output: <nil>
}
