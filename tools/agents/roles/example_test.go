package roles_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/agents/roles"
)

func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "kuromajutsu.config.yaml")
	const settings = "roles:\n  - id: reader\n    model: claude-4-sonnet   # ask before you change this\n    readonly: true\n"
	if err := os.WriteFile(path, []byte(settings), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	book, err := roles.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range book.Problems() {
		fmt.Println(p.Message)
	}
	old, _ := book.Role("reader")
	reader := old
	reader.Model, reader.ReadOnly = "auto", true
	if err := book.Set(context.Background(), reader, old); err != nil {
		fmt.Println(err)
		return
	}
	text, _ := os.ReadFile(path)
	fmt.Print(string(text))
	// Output:
	// a role has no "readonly"; did you mean "readOnly"?
	// roles:
	//   - id: reader
	//     model: auto   # ask before you change this
	//     readonly: true
	//     readOnly: true
}
