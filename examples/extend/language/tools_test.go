package language_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/examples/extend/language"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/modelapi"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// project has two similar functions with other names and comments, and a file with a syntax error.
var project = map[string]string{
	"stack.lua": stack,
	"sum.lua": `--[[ Sums. ]]

--- Adds the positive numbers of a list.
-- @return the sum
local function sum(list)
  local total = 0
  for _, value in ipairs(list) do
    if value > 0 then
      total = total + value
    end
  end
  print("the sum is", total)
  return total
end
`,
	"weights.lua": `-- Adds up what is heavier than nothing.
function Weights.all(entries)
  -- "quoted" and 'quoted' words that don't matter
  local weight = 0
  for _, entry in ipairs(entries) do
    if entry > 0 then
      weight = weight + entry
    end
  end
  print("the weight is", weight)
  return weight
end
`,
	"broken.lua": "function broken()\n  if x then\nend\n",
	"script":     "#!/usr/bin/env lua5.4\nfunction main() end\n",
}

// open returns the tools of three sets for the project, which know Lua.
func open(t *testing.T) (*tools.Box, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range project {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	env := tools.Env{Root: root}
	parsers := builtin.Parsers(builtin.Options{First: []source.Parser{language.Parser{}}})
	t.Cleanup(func() { parsers.Close() })

	chunks, err := chunking.New(t.Context(), env, chunking.Options{Parsers: parsers, InMemory: true, AnalyzeOnDemand: true})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filesystem.New(env, filesystem.Options{Index: segment.NewMemory(), Parsers: parsers})
	if err != nil {
		t.Fatal(err)
	}
	searcher, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files}, Parsers: parsers})
	if err != nil {
		t.Fatal(err)
	}
	code, err := editor.New(t.Context(), env, editor.Options{Syntax: syntax.New(syntax.FromSource(parsers))})
	if err != nil {
		t.Fatal(err)
	}
	box, err := tools.NewBox(t.Context(), tools.BoxOptions{}, chunks, searcher, code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return box, dir
}

// Every tool for source code knows the language of the parser.
func TestTools(t *testing.T) {
	box, dir := open(t)
	similar, err := json.Marshal(map[string]any{"code": project["sum.lua"][strings.Index(project["sum.lua"], "local function"):], "language": "lua"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		tool, arguments string
		want            []string
	}{
		{"refresh_index", `{}`, nil},
		{"list_functions_in_file", `{"filePath":"sum.lua"}`, []string{"sum.lua#sum", "local function sum(list)"}},
		{"list_functions_in_file", `{"filePath":"script"}`, []string{"script#main"}},
		{"list_functions_in_file", `{"filePath":"sum.lua","language":"LuaJIT"}`, []string{"sum.lua#sum"}},
		{"list_functions_in_file", `{"filePath":"sum.lua","language":"cobol"}`, []string{"lua", "the language \"cobol\" is not known"}},
		{"list_functions_in_file", `{"filePath":"broken.lua"}`, []string{"broken.lua#broken", "function without end"}},
		{"get_function_chunk", `{"filePath":"stack.lua","functionSignature":"push"}`, []string{"-- Puts a value on top.", "self[#self + 1] = value"}},
		{"search_symbols", `{"query":"push"}`, []string{"stack.lua", " push "}},
		{"get_repo_map", `{}`, []string{"stack.lua:", "function Stack:push(value)", "weights.lua:"}},
		{"searchDocuments", `{"query":"adds the positive numbers"}`, []string{"sum.lua", "local function sum(list)"}},
		{"findSimilarCode", string(similar), []string{"weights.lua:2-12", "Similarity: 0.9"}},
		{"findSimilarCode", strings.Replace(string(similar), `,"language":"lua"`, "", 1), []string{"weights.lua:2-12"}},
		{"findSimilarCode", `{"code":"local x = 1 + 2","language":"cobol"}`, []string{`must be one of`}},
		{"get_diagnostics", `{"path":"broken.lua"}`, []string{"function without end", "lua"}},
		{"replace_function_chunk", `{"chunkId":"sum.lua#sum","newCode":"local function sum(list)\n  if list then\n"}`, []string{"no longer parses"}},
		{"replace_function_chunk", `{"chunkId":"sum.lua#sum","newCode":"-- Is zero.\nlocal function sum(list)\n  return 0\nend"}`, []string{"replaced, now lines"}},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			result, err := box.Call(t.Context(), tc.tool, json.RawMessage(tc.arguments))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if text := modelapi.Text(result); !strings.Contains(text, want) {
					t.Errorf("%s has no %q:\n%s", tc.arguments, want, text)
				}
			}
		})
	}
	got, err := os.ReadFile(filepath.Join(dir, "sum.lua"))
	if want := "--[[ Sums. ]]\n\n-- Is zero.\nlocal function sum(list)\n  return 0\nend\n"; err != nil || string(got) != want {
		t.Errorf("after the replacement the file is (%v)\n%s", err, got)
	}
}
