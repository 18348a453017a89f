package aferofs_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/afero"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/aferofs"
)

// Code that is written against afero works inside the project.
func ExampleNew() {
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
	files := aferofs.New(context.Background(), root)
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
