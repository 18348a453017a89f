package editor_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
)

// Code is inserted with the indentation around it. A change for an outdated content is refused, unless its lines can be
// followed.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "main.go"), []byte("package main\n\nfunc main() {\n\tprintln(\"one\")\n}\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{project}, StateDir: filepath.Join(dir, "state")})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	ctx := context.Background()
	set, err := editor.New(ctx, tools.Env{Root: root}, editor.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close(ctx)

	preview, err := set.ReplaceCode(ctx, editor.ReplaceCodeArgs{Path: "main.go", Pattern: "one", Replacement: "two"})
	if err != nil {
		log.Fatal(err)
	}
	first := preview.Files[0].SHA256

	inserted, err := set.InsertCode(ctx, editor.InsertCodeArgs{Path: "main.go", Line: 2, Content: "\n// main begins.", ExpectedSHA256: first})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(inserted.ModifiedRange)

	// The line number refers to the content before.
	inserted, err = set.InsertCode(ctx, editor.InsertCodeArgs{Path: "main.go", Line: 5, Content: "println(\"three\")", ExpectedSHA256: first})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(inserted.ModifiedRange, inserted.Notes)

	_, err = set.DeleteCode(ctx, editor.DeleteCodeArgs{Path: "main.go", StartLine: 1, EndLine: 3, ExpectedSHA256: first})
	fmt.Println(security.CodeOf(err))
	// Output:
	// {2 3}
	// {7 7} [the file has changed since; the lines now begin at line 6]
	// STALE_FILE
}
