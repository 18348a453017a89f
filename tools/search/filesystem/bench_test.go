package filesystem_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// goTree copies the source of the Go distribution.
func goTree(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("no Go tree: ", err)
	}
	dir := filepath.Join(b.TempDir(), "src")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(strings.TrimSpace(string(out)), "src"))); err != nil {
		b.Skip("no Go tree: ", err)
	}
	old := time.Now().Add(-time.Hour)
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return dir
}

// indexed opens the index of tree in the directory kept.
func indexed(b *testing.B, tree, kept string) *filesystem.Filesystem {
	b.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{tree}, StateDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { root.Close() })
	x, err := segment.Open(b.Context(), kept, segment.Options{})
	if err != nil {
		b.Fatal(err)
	}
	f, err := filesystem.New(tools.Env{Root: root}, filesystem.Options{Index: x, Parsers: builtin.Parsers(builtin.Options{}), Interval: -1})
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func refresh(b *testing.B, f *filesystem.Filesystem, o plugin.RefreshOptions) plugin.Report {
	b.Helper()
	report, err := f.Refresh(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	return report
}

// BenchmarkRefresh indexes the Go source: completely, without changes, and with one changed file.
func BenchmarkRefresh(b *testing.B) {
	tree, kept := goTree(b), filepath.Join(b.TempDir(), "index")
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if err := os.RemoveAll(kept); err != nil {
				b.Fatal(err)
			}
			f := indexed(b, tree, kept)
			b.StartTimer()
			report := refresh(b, f, plugin.RefreshOptions{})
			b.StopTimer()
			b.ReportMetric(float64(report.Files), "files")
			f.Close(b.Context())
			b.StartTimer()
		}
	})
	f := indexed(b, tree, kept)
	defer f.Close(b.Context())
	refresh(b, f, plugin.RefreshOptions{})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			refresh(b, f, plugin.RefreshOptions{})
		}
	})
	b.Run("one", func(b *testing.B) {
		path := filepath.Join(tree, "net", "http", "server.go")
		source, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			b.StopTimer()
			source = append(source, "\n// changed\n"...)
			if err := os.WriteFile(path, source, 0o644); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if report := refresh(b, f, plugin.RefreshOptions{Path: "net/http/server.go"}); report.Updated != 1 {
				b.Fatalf("%+v", report)
			}
		}
	})
}
