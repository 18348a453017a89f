package fs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

// A line is added to a file that stays what it was: Shift_JIS with CRLF. The text is found although its line ends differ.
func ExampleFiles_Edit() {
	root, remove := exampleRoot()
	defer remove()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	done, err := files.Edit(context.Background(), fs.EditArgs{
		Path:  "memo.txt",
		Edits: []fs.TextEdit{{OldText: "日本語\n", NewText: "日本語\n追記\n"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("line %d, %s, now %d bytes\n", done.Applied[0].Line, done.Applied[0].MatchedBy, done.Size)
	// Output:
	// line 1, line-ends, now 14 bytes
}
