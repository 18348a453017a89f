package security_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// project is a tree with a file of 5 KB three directories down.
func project(b *testing.B) string {
	return layout(b, map[string]string{"src/app/handler/main.go": strings.Repeat("x", 5000)})
}

const deep = "src/app/handler/main.go"

// BenchmarkOpenRead opens and reads a file of 5 KB through the Root and, for comparison, through os.Root.
func BenchmarkOpenRead(b *testing.B) {
	dir := project(b)
	r := open(b, quick, dir)
	plain, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer plain.Close()
	buf := make([]byte, 8<<10)
	b.Run("security.Root", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := r.Open(b.Context(), deep)
			if err != nil {
				b.Fatal(err)
			}
			io.ReadFull(f, buf)
			f.Close()
		}
	})
	b.Run("os.Root", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := plain.Open(deep)
			if err != nil {
				b.Fatal(err)
			}
			io.ReadFull(f, buf)
			f.Close()
		}
	})
}

// BenchmarkWrite overwrites a file of 5 KB, without flushing.
func BenchmarkWrite(b *testing.B) {
	r := open(b, quick, project(b))
	content := []byte(strings.Repeat("y", 5000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Write(b.Context(), deep, content, security.WriteOptions{Overwrite: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWalk lists the Go tree, if there is one: through the Root with its rules, and with the standard library.
func BenchmarkWalk(b *testing.B) {
	goroot := filepath.Join(os.Getenv("GOROOT"), "src")
	if _, err := os.Stat(goroot); os.Getenv("GOROOT") == "" || err != nil {
		b.Skip("GOROOT is not set")
	}
	r := open(b, quick, goroot)
	b.Run("security.Root", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d, err := r.OpenDir(b.Context(), ".")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(count(b, d)), "entries")
		}
	})
	b.Run("filepath.WalkDir", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			filepath.WalkDir(goroot, func(string, fs.DirEntry, error) error { n++; return nil })
			b.ReportMetric(float64(n), "entries")
		}
	})
}

func count(b *testing.B, d *security.Dir) int {
	defer d.Close()
	n := 0
	for {
		entries, err := d.Next(b.Context(), 512)
		if err != nil {
			return n
		}
		n += len(entries)
		for _, e := range entries {
			if e.Kind == security.Directory {
				child, err := d.OpenDir(b.Context(), e.Name)
				if err != nil {
					b.Fatal(err)
				}
				n += count(b, child)
			}
		}
	}
}
