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
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// Declarations are found and changed by name path. Without a language server, each occurrence of a name is a reference.
func ExampleEditor_FindSymbol() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		log.Fatal(err)
	}
	code := "package cart\n\ntype Cart struct{ goods []string }\n\n// Add puts goods in.\nfunc (c *Cart) Add(name string) {\n\tc.goods = append(c.goods, name)\n}\n"
	if err := os.WriteFile(filepath.Join(project, "cart.go"), []byte(code), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{project}, StateDir: filepath.Join(dir, "state")})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	ctx := context.Background()
	set, err := editor.New(ctx, tools.Env{Root: root}, editor.Options{Parsers: parsers})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close(ctx)

	found, err := set.FindSymbol(ctx, editor.FindSymbolArgs{Symbol: "Cart/Add", Info: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(found.TextContent())

	after := editor.SymbolTarget{Symbol: found.Symbols[0].ID}
	inserted, err := set.InsertAfterSymbol(ctx, editor.InsertSymbolArgs{SymbolTarget: after, Content: "func (c *Cart) Len() int { return len(c.goods) }"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(inserted.Range)

	_, err = set.DeleteSymbol(ctx, editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "/Cart"}})
	fmt.Println(security.CodeOf(err))
	// Output:
	// cart.go#Cart.Add [method, 6-8] func (c *Cart) Add(name string)
	// // Add puts goods in.
	// {10 10}
	// SYMBOL_IN_USE
}
