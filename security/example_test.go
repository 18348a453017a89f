package security_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
)

// notebook is a program that holds the text of one file in memory.
type notebook struct{ path, text string }

func (n *notebook) Unsaved(context.Context) ([]security.UnsavedDocument, error) {
	return []security.UnsavedDocument{{Path: n.path, Program: "notebook"}}, nil
}

func (n *notebook) Open(_ context.Context, name string) (security.Document, bool, error) {
	return security.Document{Path: name, Program: "notebook", Text: n.text, Unsaved: true}, name == n.path, nil
}

func (n *notebook) Replace(_ context.Context, _ security.Document, _, after []byte) (done security.Replaced, made bool, err error) {
	n.text = string(after)
	return security.Replaced{Text: n.text}, true, nil
}

// A Root with attached documents reads unsaved text and writes through the program that has it.
func ExampleRoot_Attach() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(dir, "greeting.txt")
	os.WriteFile(path, []byte("saved"), 0o644)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	program := &notebook{path, "typed"}
	detach := root.Attach(program)

	ctx := context.Background()
	content, info, err := root.ReadFile(ctx, "greeting.txt", 1000)
	fmt.Printf("%s, unsaved in %s, %v\n", content, info.Unsaved, err)
	done, err := root.Write(ctx, "greeting.txt", []byte("changed"), security.WriteOptions{Overwrite: true})
	fmt.Println(program.text, done.Unsaved, err)
	content, _, err = root.ReadFile(security.OnDisk(ctx), "greeting.txt", 1000)
	fmt.Printf("%s %v\n", content, err)
	detach()
	// Output:
	// typed, unsaved in notebook, <nil>
	// changed true <nil>
	// saved <nil>
}

// A Root opens a project, changes a file under a lock with a backup, and refuses other paths.
func Example() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	state, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("hello"), 0o644)
	os.WriteFile(filepath.Join(dir, ".env"), []byte("API_KEY=abc"), 0o600)

	ctx := context.Background()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: state})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()

	result, err := root.Update(ctx, "greeting.txt", security.UpdateOptions{Backup: true},
		func(old []byte, _ security.FileInfo) ([]byte, error) { return bytes.ToUpper(old), nil })
	fmt.Println(result.Path, result.Size, err)
	content, _, err := root.ReadFile(ctx, "greeting.txt", 1000)
	fmt.Printf("%s %v\n", content, err)
	former, _, err := root.ReadFile(ctx, result.BackupPath, 1000)
	fmt.Printf("%s %v\n", former, err)

	for _, path := range []string{".env", "../secret", "greetings.txt"} {
		_, err := root.Open(ctx, path)
		if e, ok := errors.AsType[*security.Error](err); ok {
			fmt.Println(e.Code, e.Reason, e.NextStep())
		}
	}
	// Output:
	// greeting.txt 5 <nil>
	// HELLO <nil>
	// hello <nil>
	// PERMISSION_DENIED BLOCKED_PATTERN Do without its content. If an example or template of it exists, read that; otherwise ask the user for what you need to know.
	// PERMISSION_DENIED PATH_TRAVERSAL Use a path below the project root, such as src/main.go.
	// FILE_NOT_FOUND  Did you mean greeting.txt?
}

// Walk omits ignored files and blocked files.
func ExampleRoot_Walk() {
	dir, err := os.MkdirTemp("", "walk")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string]string{".gitignore": "*.log\n", "debug.log": "…", ".env": "KEY=…", "main.go": "package main\n", "docs/big.md": "…"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	ctx := context.Background()
	var buf []byte
	stats, err := root.Walk(ctx, ".", security.WalkOptions{}, func(e *security.WalkEntry) error {
		if e.Kind == security.Directory {
			fmt.Println(e.Rel() + "/")
			return fs.SkipDir
		}
		var err error
		buf, err = e.ReadFile(ctx, buf, 1<<20)
		fmt.Println(e.Rel(), len(buf))
		return err
	})
	fmt.Println(stats.Entries, stats.Skipped, err)
	// Output:
	// docs/
	// main.go 13
	// 4 2 <nil>
}

// A deleted file can be restored from the trash.
func ExampleRoot_Trash() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("remember"), 0o644)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()

	ctx := context.Background()
	gone, err := root.Trash(ctx, "notes.txt", security.TrashOptions{})
	fmt.Println(gone.Kind, gone.From.Path, err)
	_, err = root.Stat(ctx, "notes.txt")
	fmt.Println(security.CodeOf(err))
	back, err := root.Move(ctx, gone.Trash.Path, gone.From.Path, security.MoveOptions{})
	fmt.Println(back.To.Path, err)
	// Output:
	// file notes.txt <nil>
	// FILE_NOT_FOUND
	// notes.txt <nil>
}
