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
	"github.com/dougu-go/dougu/tools/source/parsertest"
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

// The kit parses the samples, and broken, random and deeply nested texts that it makes of them.
func TestParser(t *testing.T) {
	sample := func(name, text string, want ...string) parsertest.Sample {
		return parsertest.Sample{Name: name, Language: language.Language, Source: text, Want: want}
	}
	samples := []parsertest.Sample{
		sample("functions", stack, "Stack.push", "new"),
		sample("nested", "function a.b.c()\n  local function d() end\n  return function() end\nend", "a.b.c", "a.b.c.d"),
		sample("strings", "function f()\n return [==[ end ]] ]==] .. 'end' .. \"\\\"end\" --[[ end\nend ]]\nend", "f"),
		sample("loops", "function f()\n for i = 1, 2 do while true do repeat until i end end\nend", "f"),
	}
	for name, text := range map[string]string{
		"no end": "function f()\n if x then\nend\n", "too many ends": "function f()\nend\nend\n", "no quote": "function f()\n return 'x\nend\n",
	} {
		samples = append(samples, parsertest.Sample{Name: name, Language: language.Language, Source: text, Want: []string{"f"}, Broken: true})
	}
	parsertest.Run(t, language.Parser{}, samples)
}

func TestParser_CallsAndImports(t *testing.T) {
	src := []byte("local json = require('json')\nfunction f()\n  g(h \"x\")\nend\n")
	file, err := language.Parser{}.Parse(t.Context(), src, language.Language, source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []source.Import{{Path: "json", Line: 1}}; !slices.Equal(file.Imports, want) {
		t.Errorf("imports %+v, want %+v", file.Imports, want)
	}
	if want := []source.Call{{Name: "g", Line: 3}, {Name: "h", Line: 3}}; !slices.Equal(file.Calls, want) {
		t.Errorf("calls %+v, want %+v", file.Calls, want)
	}
}
