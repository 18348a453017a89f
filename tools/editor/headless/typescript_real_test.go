package headless_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

const tsProject = `
-- tsconfig.json --
{"compilerOptions": {"strict": true, "module": "nodenext", "noUnusedLocals": true}, "include": ["src"]}
-- src/cart.ts --
export class Cart {
  goods: string[] = []
  /** 😀 */ add(name: string): void { this.goods.push(name) }
}

export function total(cart: Cart): number { return cart.goods.length }
-- src/main.ts --
import { Cart } from './cart.js'

const cart = new Cart()
/* 😀 */ cart.add(1)
console.log(total(cart))
-- src/ugly.ts --
export   function ugly( ){return   1}
`

func typescript(t *testing.T) *project {
	installed(t, "typescript-language-server", "npm install -g typescript typescript-language-server")
	return open(t, tsProject, headless.Options{})
}

func TestFixes_TypeScript(t *testing.T) {
	p := typescript(t)
	start := time.Now()
	wrong := p.diagnostics("src/main.ts")
	t.Logf("the first time: %v", time.Since(start))
	same(t, "at first", p.show(wrong), []string{
		`src/main.ts:4:19-20: error: Argument of type 'number' is not assignable to parameter of type 'string'. [2345]`,
		`src/main.ts:5:13-18: error: Cannot find name 'total'. [2304]`,
	})
	sentBack := wrong[1]
	sentBack.Ref = nil
	fixes, err := p.Fixes(long(t), p.doc("src/main.ts"), sentBack)
	if err != nil || len(fixes) == 0 || !strings.Contains(fixes[0].Title, "import") {
		t.Fatalf("fixes: %+v, %v", fixes, err)
	}
	edits, err := p.Resolve(long(t), fixes[0])
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the fix changes", p.apply(edits), []string{"src/main.ts"})
	start = time.Now()
	same(t, "then", p.diagnose("src/main.ts"), []string{`src/main.ts:4:19-20: error: Argument of type 'number' is not assignable to parameter of type 'string'. [2345]`})
	t.Logf("after a fix: %v", time.Since(start))
}

func TestDiagnose_TypeScriptChangedFile(t *testing.T) {
	p := typescript(t)
	if got := p.diagnose("src/main.ts"); len(got) != 2 {
		t.Errorf("at first:\n%s", strings.Join(got, "\n"))
	}
	p.write("src/cart.ts", strings.Replace(p.doc("src/cart.ts").Text, "name: string", "name: number", 1))
	p.FilesChanged([]string{p.path("src/cart.ts")})
	same(t, "after a change of another file", p.diagnose("src/main.ts"), []string{`src/main.ts:5:13-18: error: Cannot find name 'total'. [2304]`})
	same(t, "the project", p.diagnose(), []string{
		`src/cart.ts:3:55-59: error: Argument of type 'number' is not assignable to parameter of type 'string'. [2345]`,
		`src/main.ts:5:13-18: error: Cannot find name 'total'. [2304]`,
	})
}

func TestNavigator_TypeScript(t *testing.T) {
	p := typescript(t)
	doc := p.doc("src/main.ts")
	found, err := p.Definition(long(t), doc, p.at("src/main.ts", "cart.|add("))
	if err != nil || len(found) != 1 || p.rel(found[0].Path) != "src/cart.ts" || found[0].Range.Start != p.at("src/cart.ts", "*/ |add(") {
		t.Errorf("definition: %+v, %v", found, err)
	}
	edits, err := p.Rename(long(t), doc, p.at("src/main.ts", "cart.|add("), "put")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the rename changes", p.apply(edits), []string{"src/cart.ts", "src/main.ts"})
	if text := p.doc("src/main.ts").Text; !strings.Contains(text, "/* 😀 */ cart.put(1)") {
		t.Errorf("after the rename:\n%s", text)
	}
	if symbols, err := p.FindSymbols(long(t), "total"); err != nil || len(symbols) != 1 || symbols[0].Kind != "function" {
		t.Errorf("symbols of the project: %+v, %v", symbols, err)
	}
}

func TestFormat_TypeScript(t *testing.T) {
	p := typescript(t)
	edits, err := p.Format(long(t), p.doc("src/ugly.ts"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.apply([]adapter.FileEdit{{Path: p.path("src/ugly.ts"), Edits: edits}})
	if got := p.doc("src/ugly.ts").Text; got != "export function ugly() { return 1 }\n" {
		t.Errorf("laid out: %s", got)
	}
}

func TestDiagnose_ProjectTypeScriptNotRun(t *testing.T) {
	p := typescript(t)
	evil := `require("fs").writeFileSync(` + "`" + p.path("was-run") + "`" + `, "");`
	for _, name := range []string{"typescript/lib/tsserver.js", "typescript/lib/typescript.js", "plug/index.js"} {
		p.write("node_modules/"+name, evil)
	}
	p.write("node_modules/typescript/package.json", `{"name": "typescript", "version": "5.9.3", "main": "lib/typescript.js"}`)
	p.write("node_modules/plug/package.json", `{"name": "plug", "version": "1.0.0", "main": "index.js"}`)
	p.write("tsconfig.json", `{"compilerOptions": {"strict": true, "module": "nodenext", "plugins": [{"name": "plug"}]}, "include": ["src"]}`)
	if got := p.diagnose("src/main.ts"); len(got) != 2 {
		t.Errorf("diagnostics:\n%s", strings.Join(got, "\n"))
	}
	if _, err := os.Stat(p.path("was-run")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("code of the project was run: %v", err)
	}
}
