package language_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/examples/extend/language"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/modelapi"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

const stack = `-- A stack of values.
local Stack = {}

-- Puts a value on top.
function Stack:push(value)
  if value then
    self[#self + 1] = value
  end
end

local function new() -- function ignored() in a comment
  return setmetatable({}, { __index = Stack })
end
`

// A model lists the functions of a Lua file.
func Example() {
	dir, err := os.MkdirTemp("", "lua")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "stack.lua"), []byte(stack), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	parsers := builtin.Parsers(builtin.Options{First: []source.Parser{language.Parser{}}})
	defer parsers.Close()
	ctx := context.Background()
	chunks, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{Parsers: parsers, InMemory: true, ShortLists: true})
	if err != nil {
		log.Fatal(err)
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{}, chunks)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close(ctx)

	result, err := box.Call(ctx, "list_functions_in_file", json.RawMessage(`{"filePath":"stack.lua"}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(modelapi.Text(result))
	// Output:
	// [lines, signature; ids: stack.lua#name, indented …#heading.name]
	// Stack:
	//  4-9 function Stack:push(value)
	// 11-13 local function new()
}

func TestParser_Parse(t *testing.T) {
	parsers := source.NewParsers(language.Parser{})
	for _, tc := range []struct {
		name, text string
		functions  []string // path, first and last line
		problems   []string
	}{
		{"functions", stack, []string{"Stack.push 4-9", "new 11-13"}, nil},
		{"nested", "function a.b.c()\n  local function d() end\n  return function() end\nend", []string{"a.b.c 1-4", "a.b.c.d 2-2"}, nil},
		{"strings", "function f()\n return [==[ end ]] ]==] .. 'end' .. \"\\\"end\" --[[ end\nend ]]\nend", []string{"f 1-4"}, nil},
		{"loops", "function f()\n for i = 1, 2 do while true do repeat until i end end\nend", []string{"f 1-3"}, nil},
		{"no end", "function f()\n if x then\nend\n", []string{"f 1-3"}, []string{"1: function without end"}},
		{"too many ends", "function f()\nend\nend\n", []string{"f 1-2"}, []string{"3: end closes no block"}},
		{"no end of a string", "function f()\n return 'x\nend\n", []string{"f 1-3"}, []string{"2: a string or comment without an end"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file, err := parsers.Parse(t.Context(), []byte(tc.text), language.Language, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var functions, problems []string
			for _, c := range file.Chunks {
				functions = append(functions, fmt.Sprintf("%s %d-%d", c.Path(), c.StartLine, c.EndLine))
			}
			for _, p := range file.Problems {
				problems = append(problems, fmt.Sprintf("%d: %s", p.Line, p.Message))
			}
			if !slices.Equal(functions, tc.functions) || !slices.Equal(problems, tc.problems) {
				t.Errorf("functions %q, problems %q", functions, problems)
			}
		})
	}
}
