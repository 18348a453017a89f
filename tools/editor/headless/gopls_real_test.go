package headless_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

const goProject = `
-- go.mod --
module example.com/shop

go 1.24
-- cart/cart.go --
package cart

// Cart holds goods.
type Cart struct{ Goods []string }

// Add puts in. 😀
func (c *Cart) Add(name string) { c.Goods = append(c.Goods, name) }
-- main.go --
package main

import (
	"fmt"
	"os"

	"example.com/shop/cart"
)

func main() {
	c := &cart.Cart{}
	/* 😀 */ c.Add("tea")
	fmt.Println(c.Goods)
}
-- ugly.go --
package main

func   ugly( )   int{
return 1
}

func fine() int { return ugly() }
`

func gopls(t *testing.T) *project {
	installed(t, "gopls", "go install golang.org/x/tools/gopls@latest")
	return open(t, goProject, headless.Options{})
}

func TestFixes_Gopls(t *testing.T) {
	p := gopls(t)
	wrong := p.diagnostics("main.go")
	same(t, "at first", p.show(wrong), []string{`main.go:5:2-6: error: "os" imported and not used [UnusedImport]`})

	fixes, err := p.Fixes(long(t), p.doc("main.go"), wrong[0])
	if err != nil || len(fixes) == 0 {
		t.Fatalf("fixes: %+v, %v", fixes, err)
	}
	sentBack := wrong[0]
	sentBack.Ref = nil
	if again, err := p.Fixes(long(t), p.doc("main.go"), sentBack); err != nil || len(again) != len(fixes) {
		t.Errorf("a diagnostic without its reference has %d fixes, not %d: %v", len(again), len(fixes), err)
	}
	edits, err := p.Resolve(long(t), fixes[0])
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the fix changes", p.apply(edits), []string{"main.go"})
	if strings.Contains(p.doc("main.go").Text, "os") {
		t.Errorf("after the fix:\n%s", p.doc("main.go").Text)
	}
	same(t, "in the end", p.diagnose("main.go"), []string{})
	if _, err := p.Resolve(long(t), adapter.Fix{Ref: fixes[0].Ref}); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("the same fix again: %v", err)
	}
}

func TestDiagnose_GoplsProject(t *testing.T) {
	p := gopls(t)
	p.write("cart/other.go", "package cart\n\nvar x int = \"one\"\n")
	p.write("inner/go.mod", "module example.com/inner\n\ngo 1.24\n")
	p.write("inner/inner.go", "package inner\n\nfunc f() { undefined() }\n")
	start := time.Now()
	same(t, "the project", p.diagnose(), []string{
		`cart/other.go:3:13-18: error: cannot use "one" (untyped string constant) as int value in variable declaration [IncompatibleAssign]`,
		`inner/inner.go:3:12-21: error: undefined: undefined [UndeclaredName]`,
		`main.go:5:2-6: error: "os" imported and not used [UnusedImport]`,
	})
	t.Logf("the first time: %v", time.Since(start))
	p.write("cart/other.go", "package cart\n\nvar x int = 1\n") // without a notification
	p.write("cart/cart.go", strings.Replace(p.doc("cart/cart.go").Text, "Goods", "Wares", 1))
	deadline := time.Now().Add(30 * time.Second)
	for {
		start = time.Now()
		got := p.diagnose()
		if len(got) == 5 && strings.Contains(got[4], "c.Goods undefined") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the change:\n%s", strings.Join(got, "\n"))
		}
	}
	t.Logf("after a change: %v", time.Since(start))
}

func TestDiagnose_GoplsGoMod(t *testing.T) {
	p := gopls(t)
	same(t, "at first", p.diagnose("go.mod"), []string{})
	p.write("go.mod", "module example.com/shop\n\ngo 1.24\n\nrequire oops\n")
	if got := p.diagnose("go.mod"); len(got) != 1 || !strings.HasPrefix(got[0], "go.mod:5:") {
		t.Errorf("after a change: %q", got)
	}
}

func TestNavigator_Gopls(t *testing.T) {
	p := gopls(t)
	p.write("main.go", strings.Replace(p.doc("main.go").Text, "\t\"os\"\n", "", 1))
	doc := p.doc("main.go")
	found, err := p.Definition(long(t), doc, p.at("main.go", "c.|Add("))
	if err != nil || len(found) != 1 || p.rel(found[0].Path) != "cart/cart.go" || found[0].Range.Start != p.at("cart/cart.go", ") |Add(") {
		t.Errorf("definition: %+v, %v", found, err)
	}
	if found, err = p.References(long(t), p.doc("cart/cart.go"), p.at("cart/cart.go", ") |Add(")); err != nil || len(found) != 2 {
		t.Errorf("references: %+v, %v", found, err)
	}
	edits, err := p.Rename(long(t), p.doc("cart/cart.go"), p.at("cart/cart.go", ") |Add("), "Put")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the rename changes", p.apply(edits), []string{"cart/cart.go", "main.go"})
	if text := p.doc("main.go").Text; !strings.Contains(text, `/* 😀 */ c.Put("tea")`) {
		t.Errorf("after the rename:\n%s", text)
	}
	if _, err := p.Rename(long(t), p.doc("main.go"), p.at("main.go", "|package"), "x"); err == nil {
		t.Error("a keyword was renamed")
	} else {
		t.Log(err)
	}
	symbols, err := p.Symbols(long(t), p.doc("cart/cart.go"))
	if err != nil || len(symbols) != 3 || symbols[1].Name != "Goods" || symbols[1].Container != "Cart" || symbols[1].Kind != "field" {
		t.Errorf("symbols: %+v, %v", symbols, err)
	}
	if symbols, err = p.FindSymbols(long(t), "Cart"); err != nil || len(symbols) == 0 || !strings.HasPrefix(p.rel(symbols[0].Location.Path), "cart/") {
		t.Errorf("symbols of the project: %+v, %v", symbols, err)
	}
}

func TestFormat_Gopls(t *testing.T) {
	p := gopls(t)
	edits, err := p.Format(long(t), p.doc("ugly.go"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.apply([]adapter.FileEdit{{Path: p.path("ugly.go"), Edits: edits}})
	if got := p.doc("ugly.go").Text; got != "package main\n\nfunc ugly() int {\n\treturn 1\n}\n\nfunc fine() int { return ugly() }\n" {
		t.Errorf("laid out:\n%s", got)
	}
	dirty := p.doc("ugly.go")
	dirty.Text += "func   open( ) {}\n"
	if edits, err = p.Format(long(t), dirty, nil); err != nil || len(edits) == 0 {
		t.Fatalf("a text that is not on the disk: %+v, %v", edits, err)
	}
	if edits, err = p.Format(long(t), p.doc("ugly.go"), nil); err != nil || len(edits) != 0 {
		t.Errorf("the file itself afterwards: %+v, %v", edits, err)
	}
}
