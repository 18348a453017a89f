package fs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

// exampleRoot is a project with one file in it, which Windows has left: Shift_JIS and CRLF.
func exampleRoot() (root *security.Root, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "memo.txt"), []byte("\x93\xfa\x96\x7b\x8c\xea\r\n"), 0o644); err != nil {
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

// A file is read, and written unless another program has changed it meanwhile. It keeps its encoding and line ends: Shift_JIS
// with CRLF.
func Example() {
	root, remove := exampleRoot()
	defer remove()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	memo, err := files.Read(ctx, fs.ReadArgs{Path: "memo.txt"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q in %s, line ends %s\n", memo.Content, memo.Encoding, memo.EOL)

	done, err := files.Write(ctx, fs.WriteArgs{Path: "memo.txt", Content: memo.Content + "追記\n", ExpectedSHA256: memo.SHA256})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Size, "bytes in", done.Encoding)

	_, err = files.Write(ctx, fs.WriteArgs{Path: "memo.txt", Content: "", ExpectedSHA256: memo.SHA256})
	fmt.Println(security.CodeOf(err))
	// Output:
	// "日本語\r\n" in shift-jis, line ends crlf
	// 14 bytes in shift-jis
	// STALE_FILE
}

// The same tools in a server, and called as a client would.
func ExampleFiles_Features() {
	root, remove := exampleRoot()
	defer remove()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "files", Version: "1.0.0"}, nil)
	if _, err := tools.Install(srv, "files", tools.Profile{}, files); err != nil {
		log.Fatal(err)
	}
	for _, tool := range files.Features().Tools {
		fmt.Println(tool.Tool().Name)
	}
	i := slices.IndexFunc(files.Features().Tools, func(t mcp.ServerTool) bool { return t.Tool().Name == "list_directory" })
	answer, err := files.Features().Tools[i].Call(context.Background(), json.RawMessage(`{"path": "."}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Content[0].(mcp.TextContent).Text)
	// Output:
	// read_file
	// write_file
	// edit_file
	// list_directory
	// search_content
	// search_files
	// get_workspace_structure
	// get_project_info
	// create_directory
	// move_file
	// delete_file
	// get_file_info
	// [.: 1 entry]
	// memo.txt	8
}
