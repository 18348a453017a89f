package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/tasks/sqlite"
)

// Tasks outlive the process. Close the runner before the database.
func Example() {
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "tasks.db"), sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	runner := tasks.New(&tasks.Options{Store: db})
	defer runner.Close()
	server := mcp.NewServer(mcp.Implementation{Name: "reports", Version: "1.0.0"}, &mcp.ServerOptions{Tasks: runner})
	fmt.Println(server.Err())
	// Output: <nil>
}
