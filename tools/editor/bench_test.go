package editor_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
)

// BenchmarkReplaceCode replaces a word in 20 files of 10 KB each.
func BenchmarkReplaceCode(b *testing.B) {
	for name, durability := range map[string]security.Durability{"full": security.Full, "process": security.Process} {
		b.Run(name, func(b *testing.B) {
			files := make(map[string]string)
			for n := range 20 {
				files[fmt.Sprintf("f%d.txt", n)] = strings.Repeat("a line with the word alpha in it\n", 300)
			}
			p := newProject(b, setup{}, files)
			root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: filepath.Join(b.TempDir(), "state"), Durability: durability})
			if err != nil {
				b.Fatal(err)
			}
			defer root.Close()
			e, err := editor.New(b.Context(), tools.Env{Root: root}, editor.Options{Feedback: -1})
			if err != nil {
				b.Fatal(err)
			}
			words := []string{"alpha", "beta"}
			for i := 0; b.Loop(); i++ {
				_, err := e.ReplaceCode(b.Context(), editor.ReplaceCodeArgs{Path: ".", Glob: "*.txt", Pattern: words[i%2], Replacement: words[1-i%2], Preview: new(false)})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
