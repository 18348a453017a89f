package chunking_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/toolstest"
)

func TestChunks_AsSet(t *testing.T) {
	build := func(t testing.TB, env tools.Env) tools.Set {
		set, err := chunking.New(t.Context(), env, chunking.Options{InMemory: true, AnalyzeOnDemand: true})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	toolstest.Run(t, build, toolstest.Options{
		Files: map[string]string{"stack.go": "package stack\n\n// Push adds an element.\nfunc Push(v int) int { return v }\n\nfunc Peek() {}\n\nfunc Last() {}\n"},
		Calls: []toolstest.Call{
			{Tool: "find_file", Args: `{"pattern":"stack"}`},
			{Tool: "find_function", Args: `{"filePath":"stack.go","functionQuery":"Push"}`},
			{Tool: "list_functions_in_file", Args: `{"filePath":"stack.go"}`},
			{Tool: "get_function_chunk", Args: `{"filePath":"stack.go","functionSignature":"Push"}`},
			{Tool: "get_chunk", Args: `{"chunkId":"stack.go#Push"}`},
			{Tool: "analyze_project", Args: `{}`},
			{Tool: "search_symbols", Args: `{"query":"Push"}`},
			{Tool: "get_chunks", Args: `{"chunkIds":["stack.go#Push"]}`},
			{Tool: "find_text", Args: `{"text":"return"}`},
			{Tool: "find_code", Args: `{"pattern":"return $X"}`},
			{Tool: "get_repo_map", Args: `{}`},
			{Tool: "replace_function_chunk", Args: `{"chunkId":"stack.go#Push","newCode":"func Push(v int) int { return v + 1 }"}`},
			{Tool: "edit_chunk", Args: `{"chunkId":"stack.go#Push","oldText":"return v","newText":"return 2 * v"}`},
			{Tool: "insert_chunk", Args: `{"chunkId":"stack.go#Push","position":"after","code":"func Pop() {}"}`},
			{Tool: "move_chunk", Args: `{"chunkId":"stack.go#Peek","to":"stack.go#Push"}`},
			{Tool: "rename_chunk", Args: `{"chunkId":"stack.go#Peek","newName":"Top"}`},
			{Tool: "rewrite_code", Args: `{"pattern":"return $X","rewrite":"return ($X)","expectedCount":1}`},
			{Tool: "delete_chunk", Args: `{"chunkId":"stack.go#Last"}`},
		},
	})
}
