package security_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/afero"

	"github.com/dougu-go/dougu/security"
)

// A project is opened, changed under a lock with a backup, and defended.
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

// Code that is written against afero works inside the project.
func ExampleRoot_FS() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	files := root.FS(context.Background())
	fmt.Println(afero.WriteFile(files, "notes.txt", []byte("remember"), 0o644))
	content, err := afero.ReadFile(files, "notes.txt")
	fmt.Println(string(content), err)
	_, err = files.Open("/etc/passwd")
	fmt.Println(security.CodeOf(err))
	// Output:
	// <nil>
	// remember <nil>
	// PERMISSION_DENIED
}
