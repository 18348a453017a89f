package security_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
)

// What is deleted can be brought back.
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
