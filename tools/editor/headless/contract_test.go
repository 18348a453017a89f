package headless_test

import (
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func TestContract(t *testing.T) {
	declaration, use := span(2, 5, 2, 10), span(4, 8, 4, 13)
	script := lsptest.Script{Answers: map[string]string{
		"textDocument/diagnostic":     `{"kind":"full","items":[{` + use + `,"severity":2,"message":"count is odd"}]}`,
		"textDocument/codeAction":     `[{"title":"Remove it","kind":"quickfix","edit":{"changes":{"$ROOT/a.go":[{` + use + `,"newText":"2"}]}}},{"title":"Extract it","kind":"refactor.extract.function","edit":{"changes":{"$ROOT/a.go":[{` + use + `,"newText":"f()"}]}}}]`,
		"textDocument/definition":     `[{"uri":"$ROOT/a.go",` + declaration + `}]`,
		"textDocument/references":     `[{"uri":"$ROOT/a.go",` + declaration + `},{"uri":"$ROOT/a.go",` + use + `}]`,
		"textDocument/rename":         `{"changes":{"$ROOT/a.go":[{` + declaration + `,"newText":"count2"},{` + use + `,"newText":"count2"}]}}`,
		"textDocument/documentSymbol": `[{"name":"count","kind":13,` + span(2, 0, 2, 14) + `,"selectionR` + declaration[2:] + `}]`,
		"workspace/symbol":            `[{"name":"count","kind":13,"location":{"uri":"$ROOT/a.go",` + declaration + `}}]`,
		"textDocument/formatting":     `[{` + span(2, 3, 2, 5) + `,"newText":" "}]`,
	}}
	adaptertest.Run(t, adaptertest.Harness{
		New: func(t *testing.T, dir string) adapter.Adapter {
			root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { root.Close() })
			return headless.New(root, headless.Options{
				Servers:    []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: testBinary(t)}},
				Formatters: []headless.Formatter{}, Env: script.Env(),
			})
		},
		Files: map[string]string{"a.go": "package a\n\nvar  count = 1\n\nvar y = count\n"}, Code: "a.go", Symbol: "count",
		Diagnostic: "count is odd", Formatted: "package a\n\nvar count = 1\n\nvar y = count\n",
	})
}
