package terminal_test

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/terminal"
)

// Much output needs little memory, and its end is correct.
func TestExecute_OutputFlood(t *testing.T) {
	p := newProject(t, setup{options: terminal.Options{MaxOutput: 20 << 20}})
	var peak atomic.Uint64
	stop := make(chan struct{})
	done := make(chan struct{})
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak.Store(max(peak.Load(), m.HeapInuse))
			}
		}
	}()
	const size = 100 << 20
	r := p.run(t, terminal.CommandArgs{Command: "yes 0123456789abcde | head -c 104857600; echo the end; echo complaint >&2"})
	close(stop)
	<-done
	if !r.Truncated || r.ExitCode != 0 || !strings.HasSuffix(r.Stdout, "0123456789abcde\nthe end\n") || r.Stderr != "complaint\n" || len(r.Stdout) > 32<<10 {
		t.Fatalf("%d bytes, ending with %q: %+v", len(r.Stdout), r.Stdout[max(0, len(r.Stdout)-40):], r.Stderr)
	}
	if grown := int64(peak.Load()) - int64(before.HeapInuse); grown > 16<<20 {
		t.Errorf("%d MB of memory were used", grown>>20)
	}
	t.Logf("%d ms, %d KB of heap more than before", r.ExecutionTime, (int64(peak.Load())-int64(before.HeapInuse))>>10)
	for offset, read, gaps := int64(0), int64(0), 0; ; {
		page := p.read(t, terminal.ReadOutputArgs{ProcessID: r.ProcessID, Stream: "stdout", Offset: &offset, Length: 1 << 20})
		if page.Dropped > 0 {
			gaps++
			if !strings.Contains(page.TextContent(), "were not kept") {
				t.Errorf("it says %.200s", page.TextContent())
			}
		}
		read += page.NextOffset - page.Offset
		if offset = page.NextOffset; !page.Truncated {
			if page.Size != size+8 || gaps != 1 || read < 20<<20 || read > 22<<20 {
				t.Errorf("%d bytes could be read, with %d gaps: %+v", read, gaps, page.Size)
			}
			break
		}
	}
}

// The last output before the end of a command is not lost.
func TestExecute_LastOutput(t *testing.T) {
	p := newProject(t, setup{})
	for range 500 {
		if r := p.run(t, terminal.CommandArgs{Command: "echo a reason >&2; exit 1"}); r.Stderr != "a reason\n" || r.ExitCode != 1 {
			t.Fatalf("it said %+v", r)
		}
	}
}
