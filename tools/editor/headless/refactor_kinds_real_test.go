package headless_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// The kinds of refactorings that the documentation lists for language servers.
func TestRefactorings_DocumentedKinds(t *testing.T) {
	part := func(path string, line int, code string) editor.Selection {
		return editor.Selection{Path: path, StartLine: line, Code: code}
	}
	for name, c := range map[string]struct {
		server, install, files string
		where                  editor.Selection
		kind, file, want       string
	}{
		"gopls moves to a new file": {"gopls", "go install golang.org/x/tools/gopls@latest", goShop, editor.Selection{Path: "shop.go", StartLine: 18},
			"refactor.extract.toNewFile", "double.go", "func double"},
		"gopls organizes imports": {"gopls", "go install golang.org/x/tools/gopls@latest", strings.Replace(goShop, `"fmt"`, `"os"`, 1), editor.Selection{Path: "shop.go", StartLine: 1},
			"source.organizeImports", "shop.go", `import "fmt"`},
		"typescript inlines a variable": {"typescript-language-server", "npm install -g typescript-language-server typescript",
			strings.Replace(tsShop, "return sum * (1 + 1)", "const two = 2;\n    return sum * two", 1), part("shop.ts", 9, "two"),
			"refactor.inline.variable", "shop.ts", "return sum * 2;"},
		"typescript organizes imports": {"typescript-language-server", "npm install -g typescript-language-server typescript",
			strings.Replace(tsShop, "export class", "import { b } from \"./b\";\nimport { a } from \"./a\";\nconsole.log(a, b);\nexport class", 1), editor.Selection{Path: "shop.ts", StartLine: 1},
			"source.organizeImports.ts", "shop.ts", "import { a } from \"./a\";\nimport { b } from \"./b\";"},
		"clangd extracts a variable": {"clangd", "install clangd", "\n-- main.cc --\nint f(int n) {\n  return n * (n + 1);\n}\n", part("main.cc", 2, "(n + 1)"),
			"refactor", "main.cc", "auto placeholder = (n + 1);"},
	} {
		t.Run(name, func(t *testing.T) {
			installed(t, c.server, c.install)
			p := open(t, c.files, headless.Options{})
			done := p.refactor(t, set(t, p), editor.ListRefactoringsArgs{Selection: c.where, Kind: strings.TrimSuffix(c.kind, ".ts")}, c.kind, "")
			if text := p.doc(c.file).Text; !strings.Contains(text, c.want) {
				t.Errorf("%s:\n%s\n%s", c.file, text, done.TextContent())
			}
		})
	}
}
