package chunks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// gopls knows which of two methods of one name is called.
func TestFindCallers_Gopls(t *testing.T) {
	_, err := exec.LookPath("gopls")
	testrequire.Deep(t, err == nil, "gopls", "go install golang.org/x/tools/gopls@latest")
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{
		"go.mod":       "module example.com/shop\n\ngo 1.24\n",
		"cart/cart.go": "package cart\n\ntype Cart struct{}\n\n// Add puts in. 😀\nfunc (c *Cart) Add(name string) {}\n\ntype Log struct{}\n\nfunc (l *Log) Add(line string) {}\n",
		"main.go":      "package main\n\nimport \"example.com/shop/cart\"\n\nfunc main() {\n\tc, l := new(cart.Cart), new(cart.Log)\n\t/* 😀 */ c.Add(\"tea\")\n\tl.Add(\"written\")\n}\n\nvar add = (*cart.Cart).Add\n",
	})
	got := program.MustRun(t, "call", "-root", dir, "-store", "memory", "-language-servers", "find_callers", "chunkId=cart/cart.go#Cart.Add")
	const want = "[2 callers by the language server]\nmain.go#main lines 7\nmain.go lines 11\n"
	if got != want {
		t.Errorf("the callers are\n%s\nwant\n%s", got, want)
	}
}

// gopls renames the uses of a method, and not those of another method with its name.
func TestRenameChunk_Gopls(t *testing.T) {
	_, err := exec.LookPath("gopls")
	testrequire.Deep(t, err == nil, "gopls", "go install golang.org/x/tools/gopls@latest")
	dir := t.TempDir()
	const cart = "package cart\n\ntype Cart struct{}\n\n// Add puts in. 😀\nfunc (c *Cart) Add(name string) {}\n\ntype Log struct{}\n\nfunc (l *Log) Add(line string) {}\n"
	const user = "package main\n\nimport \"example.com/shop/cart\"\n\nfunc main() {\n\tc, l := new(cart.Cart), new(cart.Log)\n\t/* 😀 */ c.Add(\"tea\")\n\tl.Add(\"written\")\n}\n"
	apptest.Write(t, dir, map[string]string{"go.mod": "module example.com/shop\n\ngo 1.24\n", "cart/cart.go": cart, "main.go": user})
	got := program.MustRun(t, "call", "-root", dir, "-store", "memory", "-language-servers", "rename_chunk", "chunkId=cart/cart.go#Cart.Add", "newName=Put")
	apptest.Contains(t, got, "[renamed cart/cart.go#Cart.Put, lines 5-6; ", "[the name Add is still at cart/cart.go:10 func (l *Log) Add(line string) {}; main.go:8 l.Add(\"written\")]")
	for name, want := range map[string]string{"cart/cart.go": strings.Replace(cart, "// Add puts in. 😀\nfunc (c *Cart) Add", "// Put puts in. 😀\nfunc (c *Cart) Put", 1), "main.go": strings.Replace(user, "c.Add", "c.Put", 1)} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || string(text) != want {
			t.Errorf("%s is %q, want %q; %v", name, text, want, err)
		}
	}
}
