//go:build unix

package security_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// BenchmarkWalkTree walks the source tree of Go and reads every file as a search does. It also reports the processor
// time of the process for each file, over all processors.
func BenchmarkWalkTree(b *testing.B) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("there are no sources of Go")
	}
	r := open(b, quick, filepath.Join(strings.TrimSpace(string(goroot)), "src"))
	visits := map[string]func(e *security.WalkEntry) error{
		"names": func(*security.WalkEntry) error { return nil },
		"paths": func(e *security.WalkEntry) error { _ = e.Path(); return nil },
		"info":  func(e *security.WalkEntry) error { _, err := e.Info(b.Context()); return err },
		"open": func(e *security.WalkEntry) error {
			f, err := e.Open(b.Context())
			if err == nil {
				f.Close()
			}
			return err
		},
		"read": func(e *security.WalkEntry) error {
			buf := buffers.Get().(*[]byte)
			defer buffers.Put(buf)
			content, err := e.ReadFile(b.Context(), *buf, 64<<20)
			*buf = content
			return err
		},
	}
	for _, what := range []string{"names", "paths", "info", "open", "read"} {
		for _, workers := range []int{1, 2} {
			b.Run(what+"/workers="+strconv.Itoa(workers), func(b *testing.B) {
				b.ReportAllocs()
				before := processorTime(b)
				var files atomic.Int64
				for b.Loop() {
					_, err := r.Walk(b.Context(), ".", security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
						if e.Kind != security.RegularFile {
							return nil
						}
						files.Add(1)
						return visits[what](e)
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(files.Load())/float64(b.N), "files")
				b.ReportMetric(float64(processorTime(b)-before)/float64(files.Load()), "cpu-ns/file")
			})
		}
	}
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// processorTime returns the processor time of the process so far, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
