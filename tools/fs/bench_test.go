package fs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// median runs f and reports the median duration in microseconds.
func median(b *testing.B, f func()) {
	b.ReportAllocs()
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
}

func BenchmarkRead(b *testing.B) {
	p := newProject(b, setup{}, map[string]string{
		"5KB": strings.Repeat("func main() { println(1) }\n", 190), "1MB": strings.Repeat("func main() { println(1) }\n", 38_837),
		"1MB.jp": strings.Repeat("日本語の行です。\n", 42_000),
	})
	for _, bm := range []struct {
		name string
		args fs.ReadArgs
	}{
		{"5KB", fs.ReadArgs{Path: "5KB"}},
		{"1MB", fs.ReadArgs{Path: "1MB", Length: 2_000_000}},
		{"1MB-Japanese", fs.ReadArgs{Path: "1MB.jp", Length: 2_000_000}},
		{"20LinesOf1MB", fs.ReadArgs{Path: "1MB", StartLine: 30_000, EndLine: 30_020}},
	} {
		b.Run(bm.name, func(b *testing.B) { median(b, func() { p.read(b, bm.args) }) })
	}
	b.Run("5KB-tool", func(b *testing.B) { median(b, func() { toolsettest.Call(b, p, "read_file", `{"path":"5KB"}`) }) })
}

func BenchmarkWrite5KB(b *testing.B) {
	p := newProject(b, setup{}, nil)
	content := strings.Repeat("func main() { println(1) }\n", 190)
	n := 0
	median(b, func() {
		n++
		p.write(b, fs.WriteArgs{Path: "f.go", Content: fmt.Sprint(n, content)})
	})
}

func BenchmarkList(b *testing.B) {
	files := map[string]string{}
	for i := range 4000 {
		files[fmt.Sprintf("d%02d/e%d/f%d.go", i%40, i%7, i)] = ""
	}
	p := newProject(b, setup{}, files)
	b.Run("4000Recursive", func(b *testing.B) {
		median(b, func() { p.list(b, fs.ListArgs{Recursive: true, Pattern: "*.go"}) })
	})
	b.Run("100", func(b *testing.B) { median(b, func() { p.list(b, fs.ListArgs{Path: "d00/e0"}) }) })
}
