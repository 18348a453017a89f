package repomap_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/repomap"
)

// BenchmarkRank measures the first ranking of a project, per byte.
func BenchmarkRank(b *testing.B) {
	project := generatedTree(2000)
	files := project.files(b)
	size := int64(0)
	for _, f := range files {
		size += f.Size
	}
	b.Run("first", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if _, err := new(repomap.Maps).Rank(b.Context(), files, project.read, repomap.Focus{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		maps := new(repomap.Maps)
		for b.Loop() {
			if _, err := maps.Rank(b.Context(), files, project.read, repomap.Focus{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
