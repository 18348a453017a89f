package chunkstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/examples/extend/chunkstore"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app/chunks"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/index/storetest"
	"github.com/dougu-go/dougu/tools/modelapi"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		path := filepath.Join(t.TempDir(), "cache", "chunks.gob")
		return func() index.Store { return chunkstore.Open(path) }
	})
}

// A file with other content is an error of Load, and the next Save replaces it.
func TestStore_DamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chunks.gob")
	if err := os.WriteFile(path, []byte("no gob"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := chunkstore.Open(path)
	if _, err := store.Load(t.Context()); err == nil {
		t.Error("a damaged file is loaded")
	}
	if err := store.Save(t.Context(), []*index.File{storetest.Parsed(t, "a.go", storetest.Stack)}, nil); err != nil {
		t.Fatal(err)
	}
	if files := storetest.Load(t, store); len(files) != 1 || files["a.go"] == nil {
		t.Errorf("the file has %v", files)
	}
}

// project makes a directory with a Go file.
func project() (dir string, remove func()) {
	top, err := os.MkdirTemp("", "chunkstore")
	if err != nil {
		log.Fatal(err)
	}
	dir = filepath.Join(top, "project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		log.Fatal(err)
	}
	source := "package stack\n\n// Push adds an element.\nfunc Push(v int) {}\n"
	if err := os.WriteFile(filepath.Join(dir, "stack.go"), []byte(source), 0o600); err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(top) }
}

// The tools of a second process find the functions that the first one has read.
func Example() {
	ctx := context.Background()
	dir, remove := project()
	defer remove()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	call := func(tool, arguments string) string {
		store := chunkstore.Open(filepath.Join(filepath.Dir(dir), "chunks.gob"))
		set, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{Store: store})
		if err != nil {
			log.Fatal(err)
		}
		box, err := tools.NewBox(ctx, tools.BoxOptions{}, set)
		if err != nil {
			log.Fatal(err)
		}
		defer box.Close(ctx) // closes the set and the store
		result, err := box.Call(ctx, tool, json.RawMessage(arguments))
		if err != nil || result.IsError {
			log.Fatal(err, modelapi.Text(result))
		}
		return modelapi.Text(result)
	}
	call("analyze_project", `{}`)
	fmt.Println(call("search_symbols", `{"query":"push"}`))
	// Output:
	// [1 found]
	// stack.go
	//  Push 3-4 func Push(v int)
}

// The program chunks has the store as a value of the flag -store.
func Example_program() {
	dir, remove := project()
	defer remove()
	path := filepath.Join(filepath.Dir(dir), "chunks.gob")
	program := chunks.New(chunks.Options{
		Stores: map[string]func(context.Context, *security.Root, *slog.Logger) (index.Store, error){
			"file": func(context.Context, *security.Root, *slog.Logger) (index.Store, error) {
				return chunkstore.Open(path), nil
			},
		},
		DefaultStore: "file",
	})
	program.Stdout = os.Stderr
	fmt.Println("exit code", program.Main([]string{"index", "-root", dir})) // os.Exit(program.Main(os.Args[1:]))
	files, err := chunkstore.Open(path).Load(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(files[0].Path, files[0].Functions(), "function")
	// Output:
	// exit code 0
	// stack.go 1 function
}
