package index_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// goTree is the source of Go's own library and tools.
func goTree(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "net"))
	}
	if err != nil {
		t.Skip("no Go tree: ", err)
	}
	return dir
}

// warm indexes the Go tree into a directory of its own.
func warm(b *testing.B) (root *security.Root, open func() *index.Index) {
	b.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{goTree(b)}, Blocked: []string{}, StateDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { root.Close() })
	dir := filepath.Join(b.TempDir(), "chunks")
	open = func() *index.Index {
		store, err := index.NewJSONStore(root, index.JSONOptions{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		x, err := index.Open(context.Background(), root, index.Options{Parsers: source.NewParsers(outline.Parser{}, golang.Parser{}), Languages: []source.Language{source.Go}, Store: store})
		if err != nil {
			b.Fatal(err)
		}
		return x
	}
	return root, open
}

func analyze(b *testing.B, x *index.Index, force bool) index.Report {
	b.Helper()
	report, err := x.Analyze(context.Background(), ".", index.AnalyzeOptions{Force: force}, nil)
	if err != nil || report.Incomplete || report.NotSaved != "" {
		b.Fatalf("%+v: %v", report, err)
	}
	return report
}

func closeIndex(b *testing.B, x *index.Index) {
	b.Helper()
	if err := x.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// ctags is the processor time that universal-ctags takes for the same files, or 0.
func ctags(b *testing.B) time.Duration {
	b.Helper()
	command := exec.Command("ctags", "-R", "--languages=Go", "--fields=+ne", "-f", filepath.Join(b.TempDir(), "tags"), goTree(b))
	if err := command.Run(); err != nil {
		b.Log("ctags: ", err)
		return 0
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime()
}

// Everything is read, hashed, parsed and saved. Where many files were removed a
// short while ago, as by this benchmark before, ext4 takes many times longer to
// make new ones: it does not use their inodes again for five minutes, but looks
// through them each time. TMPDIR on another file system shows the difference.
func BenchmarkAnalyzeCold(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		_, open := warm(b)
		x := open()
		b.StartTimer()
		before := cpu()
		report := analyze(b, x, false)
		closeIndex(b, x)
		took := cpu() - before
		b.StopTimer()
		b.ReportMetric(took.Seconds(), "cpu-s/op")
		if other := ctags(b); other > 0 {
			b.ReportMetric(took.Seconds()/other.Seconds(), "of-ctags")
		}
		b.StartTimer()
		b.ReportMetric(float64(report.Files), "files")
		b.ReportMetric(float64(report.Chunks), "chunks")
	}
}

// Nothing has changed.
func BenchmarkAnalyzeWarm(b *testing.B) {
	_, open := warm(b)
	x := open()
	defer closeIndex(b, x)
	analyze(b, x, false)
	before := cpu()
	for b.Loop() {
		analyze(b, x, false)
	}
	b.ReportMetric((cpu()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
}

func BenchmarkOpen(b *testing.B) {
	_, open := warm(b)
	x := open()
	analyze(b, x, false)
	closeIndex(b, x)
	for b.Loop() {
		before := cpu()
		x := open()
		b.StopTimer()
		b.ReportMetric((cpu()-before).Seconds()*1000, "cpu-ms/op")
		if x.Snapshot().Len() < 1000 {
			b.Fatal("nothing was loaded")
		}
		b.ReportMetric(float64(x.Snapshot().Chunks()), "chunks")
		closeIndex(b, x)
		runtime.GC()
		b.StartTimer()
	}
}

// BenchmarkLoadedMemory tells how much memory a loaded index takes.
func BenchmarkLoadedMemory(b *testing.B) {
	_, open := warm(b)
	x := open()
	analyze(b, x, false)
	closeIndex(b, x)
	x = nil
	for b.Loop() {
		before := heap()
		x := open()
		b.ReportMetric(float64(heap()-before)/(1<<20), "MB")
		runtime.KeepAlive(x)
		closeIndex(b, x)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkSearch(b *testing.B) {
	_, open := warm(b)
	x := open()
	defer closeIndex(b, x)
	analyze(b, x, false)
	s := x.Snapshot()
	for name, text := range map[string]string{"exact": "ServeHTTP", "dotted": "Server.ListenAndServe", "fuzzy": "lstnsrv", "miss": "qqxzqqj", "letter": "e", "two": "er", "everything": ""} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before, total := cpu(), 0
			for b.Loop() {
				_, total = s.Search(index.Query{Text: text})
			}
			b.ReportMetric(float64(total), "hits")
			b.ReportMetric((cpu()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// One file of a copy of a part of the tree changes.
func BenchmarkUpdate(b *testing.B) {
	dir := b.TempDir()
	if err := os.CopyFS(dir, os.DirFS(goTree(b))); err != nil {
		b.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	store, err := index.NewJSONStore(root, index.JSONOptions{})
	if err != nil {
		b.Fatal(err)
	}
	x, err := index.Open(context.Background(), root, index.Options{Parsers: source.NewParsers(outline.Parser{}, golang.Parser{}), Languages: []source.Language{source.Go}, Store: store})
	if err != nil {
		b.Fatal(err)
	}
	defer closeIndex(b, x)
	analyze(b, x, false)
	const name = "net/http/server.go"
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		b.Fatal(err)
	}
	slowest := time.Duration(0)
	for b.Loop() {
		content = append(content, "\nfunc addedForTheBenchmark() {}\n"...)
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		report, err := x.Update(context.Background(), name)
		if err != nil || report.Parsed != 1 {
			b.Fatalf("%+v: %v", report, err)
		}
		slowest = max(slowest, time.Since(began))
	}
	b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
}
