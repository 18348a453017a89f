package spent_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/spent"
)

// Two servers with the same keys share the record of used consents: a consent counts once, at either of them.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "spent")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := spent.Open(dir, spent.Options{})
	if err != nil {
		log.Fatal(err)
	}
	key := make([]byte, 32) // from a secret that the servers have in common
	srv := mcp.NewServer(mcp.Implementation{Name: "one", Version: "1.0.0"}, &mcp.ServerOptions{StateKeys: [][]byte{key}, Spent: store})
	fmt.Println(srv.Err())

	for range 2 {
		fmt.Println(store.Spend(context.Background(), "consent", time.Now().Add(time.Minute)))
	}
	// Output:
	// <nil>
	// true <nil>
	// false <nil>
}
