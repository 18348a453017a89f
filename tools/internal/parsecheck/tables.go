package parsecheck

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// Tables compares the declarations in the files of testdata with a suffix with the tables beside
// them, which were checked by hand. Each line of a table has the lines from Decl to End, the kind,
// the path, the signature and the documentation of a chunk. update rewrites the tables; review
// them.
func Tables(t *testing.T, suffix string, update bool, read func(src []byte) *source.File) {
	files, err := filepath.Glob("testdata/*" + suffix)
	if err != nil || len(files) < 4 {
		t.Fatalf("only %v: %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			table := strings.TrimSuffix(file, suffix) + ".table"
			got := render(src, read(src))
			if update {
				if err := os.WriteFile(table, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(table)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func render(src []byte, f *source.File) string {
	var b strings.Builder
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "%d import %s\n", i.Line, i.Path)
	}
	for _, c := range f.Chunks {
		fmt.Fprintf(&b, "%d-%d %s %s | %s", c.Line, c.EndLine, c.Kind, c.Path(), c.Signature)
		if c.DocEnd > 0 {
			fmt.Fprintf(&b, " | %s", strings.Join(strings.Fields(string(src[c.Doc:c.DocEnd])), " "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
