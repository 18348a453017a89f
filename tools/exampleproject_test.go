package tools_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/transport"
)

// A server with the file tools of one directory, and a client that calls one.
func Example_project() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(mcp.Implementation{Name: "files", Version: "1.0.0"}, nil)
	installed, err := tools.Install(server, "files", tools.Profile{}, files)
	if err != nil {
		log.Fatal(err)
	}
	defer installed.Close(ctx)

	client, err := mcp.Connect(ctx, transport.InMemory{Server: server}, mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	written, err := mcp.Call[fs.WriteResult](ctx, client, "write_file", fs.WriteArgs{Path: "notes.txt", Content: "hello\n"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(written.Path, written.Size, written.Created)
	// Output: notes.txt 6 true
}
