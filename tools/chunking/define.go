package chunking

import (
	"errors"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// toolTimeout ends a call before the timeouts of common clients.
const toolTimeout = 45 * time.Second

// define returns the tools.
func (c *Chunks) define() ([]mcp.ServerTool, error) {
	defined := []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name: "find_file", Annotations: mcp.ReadOnly(),
			Description: "Finds files by glob or part of a path; returns absolute paths.",
		}, c.FindFile),
		mcp.NewTool(mcp.Tool{
			Name: "find_function", Annotations: mcp.ReadOnly(),
			Description: "Finds functions of a file by part of their name or signature.",
		}, c.FindFunction),
		mcp.NewTool(mcp.Tool{
			Name: "list_functions_in_file", Annotations: mcp.ReadOnly(),
			Description: "Lists the functions of a file: lines, ids, signatures. Use it before reading a file.",
		}, c.ListFunctions),
		mcp.NewTool(mcp.Tool{
			Name: "get_function_chunk", Annotations: mcp.ReadOnly(),
			Description: "Reads one function with its comments, instead of the whole file. A long one comes in parts, by cursor.",
		}, c.FunctionChunk),
		mcp.NewTool(mcp.Tool{
			Name: "get_chunk", Annotations: mcp.ReadOnly(),
			Description: "Reads a function or type by id (path#Type.name), name or part of a name.",
		}, c.Chunk),
		mcp.NewTool(mcp.Tool{
			Name: "get_chunks", Annotations: mcp.ReadOnly(),
			Description: "Reads several chunks in one call.",
		}, c.ChunksByID),
		mcp.NewTool(mcp.Tool{
			Name: "search_symbols", Annotations: mcp.ReadOnly(),
			Description: "Finds functions, types and variables of the project by name or words.",
		}, c.SearchSymbols),
		mcp.NewTool(mcp.Tool{
			Name: "find_text", Annotations: mcp.ReadOnly(),
			Description: "Finds text in source files, and the functions and types around it.",
		}, c.FindText),
		mcp.NewTool(mcp.Tool{
			Name: "find_code", Annotations: mcp.ReadOnly(),
			Description: "Finds code by a pattern in its own syntax, regardless of layout: if err != nil { return $E }. $NAME is one node, $$$NAME any number.",
		}, c.FindCode),
		mcp.NewTool(mcp.Tool{
			Name: "get_repo_map", Annotations: mcp.ReadOnly(),
			Description: "Shows the most important declarations of the project.",
		}, c.RepoMap),
		mcp.NewTool(mcp.Tool{
			Name: "replace_function_chunk", Annotations: mcp.Destructive(),
			Description: "Replaces a function, unless the new code does not parse.",
		}, c.Replace),
		mcp.NewTool(mcp.Tool{
			Name: "edit_chunk", Annotations: mcp.Destructive(),
			Description: "Replaces text within a chunk: the shortest text that is unique there will do.",
		}, c.EditChunk),
		mcp.NewTool(mcp.Tool{
			Name: "insert_chunk", Annotations: mcp.Destructive(),
			Description: "Inserts code beside a chunk, or as a member.",
		}, c.InsertChunk),
		mcp.NewTool(mcp.Tool{
			Name: "delete_chunk", Annotations: mcp.Destructive(),
			Description: "Deletes a chunk with its comments. Its uses stay.",
		}, c.DeleteChunk),
		mcp.NewTool(mcp.Tool{
			Name: "move_chunk", Annotations: mcp.Destructive(),
			Description: "Moves a chunk. Imports and uses stay as they are.",
		}, c.MoveChunk),
		mcp.NewTool(mcp.Tool{
			Name: "rename_chunk", Annotations: mcp.Destructive(),
			Description: "Renames a declaration, with its uses where a language server knows them; else only an unused one.",
		}, c.RenameChunk),
		mcp.NewTool(mcp.Tool{
			Name: "rewrite_code", Annotations: mcp.Destructive(),
			Description: "Rewrites all code that matches a pattern of find_code, or nothing.",
		}, c.RewriteCode),
	}
	// No timeout: the tool returns after waitMs, and the analysis continues.
	analyze := mcp.NewTool(mcp.Tool{
		Name: "analyze_project", Annotations: mcp.ReadOnly(),
		Description: "Reads the source files of a directory into the index for search_symbols and get_repo_map, and counts unreadable files. Only changed files are parsed again.",
	}, c.Analyze).With(mcp.ToolOptions{Timeout: 11 * time.Minute, Task: mcp.TaskOptional})
	defined, err := tools.Define(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: c.limits.MaxResult()}, append(defined, c.defineRelations()...)...)
	return append(defined, analyze), errors.Join(err, analyze.Err())
}
