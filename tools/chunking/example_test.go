package chunking_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

const exampleSource = `/// A stack.
struct Stack {
    /// Puts x on top.
    mutating func push(_ x: Int) {
        items.append(x)
    }
}
`

// exampleRoot returns a project with one file.
func exampleRoot(name, content string) (root *security.Root, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, name), []byte(content), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err = security.OpenRoot(security.RootOptions{Dirs: []string{project}, StateDir: filepath.Join(dir, "state")})
	if err != nil {
		log.Fatal(err)
	}
	return root, func() {
		root.Close()
		os.RemoveAll(dir)
	}
}

// A client finds, reads and replaces a function. The rest of the file stays unchanged.
func Example() {
	root, remove := exampleRoot("Stack.swift", exampleSource)
	defer remove()
	ctx := context.Background()
	chunks, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer chunks.Close(ctx)

	list, err := chunks.ListFunctions(ctx, chunking.ListFunctionsArgs{FilePath: "Stack.swift"})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range list.Functions {
		fmt.Println(f.ID, "|", f.Signature)
	}
	chunk, err := chunks.Chunk(ctx, chunking.GetChunkArgs{ChunkID: list.Functions[0].ID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(chunk.Code)

	done, err := chunks.Replace(ctx, chunking.ReplaceArgs{
		ChunkID: chunk.ID, ExpectedSHA256: chunk.SHA256,
		NewCode: "mutating func push(_ x: Int) {\n    items += [x]\n}",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(done.Diff)
	// Output:
	// Stack.swift#Stack.push(_:) | mutating func push(_ x: Int)
	// /// Puts x on top.
	//     mutating func push(_ x: Int) {
	//         items.append(x)
	//     }
	// --- Stack.swift
	// +++ Stack.swift
	// @@ -2,6 +2,6 @@
	//  struct Stack {
	//      /// Puts x on top.
	//      mutating func push(_ x: Int) {
	// -        items.append(x)
	// +        items += [x]
	//      }
	//  }
}

// A change of a function needs only the changed text, which must be unique in the function.
func ExampleChunks_EditChunk() {
	root, remove := exampleRoot("Stack.swift", exampleSource)
	defer remove()
	ctx := context.Background()
	chunks, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer chunks.Close(ctx)

	r, err := chunks.EditChunk(ctx, chunking.EditChunkArgs{ChunkID: "Stack.swift#Stack.push(_:)", OldText: "items.append(x)", NewText: "items += [x]", DryRun: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r.Diff)
	// Output:
	// --- Stack.swift
	// +++ Stack.swift
	// @@ -5 +5 @@
	// -        items.append(x)
	// +        items += [x]
}

// ownParser reads Kotlin: every line that begins with "fun" is a function.
type ownParser struct{}

func (ownParser) Name() string                 { return "own" }
func (ownParser) Languages() []source.Language { return []source.Language{source.Kotlin} }

func (ownParser) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	for _, at := range regexp.MustCompile(`(?m)^fun (\w+).*$`).FindAllSubmatchIndex(src, -1) {
		b.Add(source.Chunk{
			Kind: source.Function, Name: string(src[at[2]:at[3]]), Parent: -1,
			Decl: int32(at[0]), Ident: int32(at[2]), End: int32(at[1]),
		})
	}
	return b.File("own"), nil
}

// A parser before the built-in ones has priority for its language. If it is unsure of a
// file, the others parse the file.
func ExampleOptions_parsers() {
	root, remove := exampleRoot("stack.kt", "fun push(x: Int) = items.add(x)\n")
	defer remove()
	ctx := context.Background()

	parsers := builtin.Parsers(builtin.Options{First: []source.Parser{ownParser{}}})
	defer parsers.Close()
	chunks, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{Parsers: parsers, InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer chunks.Close(ctx)

	list, err := chunks.ListFunctions(ctx, chunking.ListFunctionsArgs{FilePath: "stack.kt"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list.Functions[0].ID, "read by", list.Parser)
	// Output: stack.kt#push read by own
}

// A server offers the tools of the set.
func ExampleChunks_Features() {
	root, remove := exampleRoot("Stack.swift", exampleSource)
	defer remove()
	ctx := context.Background()
	chunks, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer chunks.Close(ctx)

	srv := mcp.NewServer(mcp.Implementation{Name: "functions", Version: "1.0.0"}, nil)
	if _, err := tools.Install(srv, "functions", tools.Profile{}, chunks); err != nil {
		log.Fatal(err)
	}
	for _, tool := range srv.Tools() {
		fmt.Println(tool.Name)
	}
	// Output:
	// find_file
	// find_function
	// list_functions_in_file
	// get_function_chunk
	// get_chunk
	// get_chunks
	// search_symbols
	// find_text
	// find_code
	// get_repo_map
	// replace_function_chunk
	// edit_chunk
	// insert_chunk
	// delete_chunk
	// move_chunk
	// rename_chunk
	// rewrite_code
	// analyze_project
}

// A pattern finds calls in all files, regardless of their layout, and the rewrite uses the captured arguments.
func ExampleChunks_RewriteCode() {
	root, remove := exampleRoot("stack.go", "package stack\n\nfunc use() {\n\tpush(\n\t\t1, 2)\n}\n")
	defer remove()
	ctx := context.Background()
	chunks, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer chunks.Close(ctx)

	found, err := chunks.FindCode(ctx, chunking.FindCodeArgs{Pattern: "push($$$ARGS)"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Matches[0].ChunkID, found.Matches[0].Captures)
	r, err := chunks.RewriteCode(ctx, chunking.RewriteCodeArgs{Pattern: "push($$$ARGS)", Rewrite: "stack.Push($$$ARGS, nil)", DryRun: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r.Diff)
	// Output:
	// stack.go#use map[ARGS:1, 2]
	// --- stack.go
	// +++ stack.go
	// @@ -4,2 +4 @@
	// -	push(
	// -		1, 2)
	// +	stack.Push(1, 2, nil)
}
