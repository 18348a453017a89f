package main

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
)

// programs are the measured programs.
var programs = drivertest.Programs{Modules: map[string]string{"../..": "./examples/kuromajutsu", "..": "./agents/standin"}}

func TestMain(m *testing.M) { programs.Main(m) }

// measured runs parts of the benchmark with small sizes.
func measured(t *testing.T, parts string) string {
	t.Helper()
	built := ""
	if parts != "parse" {
		if runtime.GOOS != "linux" {
			t.Skip("processes are looked at as Linux shows them")
		}
		built = programs.Dir(t)
	}
	return drivertest.Run(run).Output(t, "-programs", built, "-parts", parts, "-size", "1", "-rounds", "1", "-calls", "3", "-agents", "4", "-lasts", "500ms", "-flood", "500ms", "-runs", "8", "-settle", "1s")
}

func TestParse(t *testing.T) {
	t.Parallel()
	drivertest.Rows(t, measured(t, "parse"), `\| mixed \| [0-9]+ \| .* \| decoder ≥ 150 MB/s and × 2 \| (pass|FAIL) \|$`)
}

func TestOrders(t *testing.T) {
	t.Parallel()
	drivertest.Rows(t, measured(t, "order"), `\| 0 \| 3 \| `, `\| 4 \| 3 \| .* \| < 20.0 ms \| (pass|FAIL) \|$`)
}

func TestLive(t *testing.T) {
	t.Parallel()
	drivertest.Rows(t, measured(t, "live"), `\| none \| ordered → created \| [1-4] \| `, `\| one that never reads \| last line → completed \| 4 \| `,
		`\| none \| tool call begins or ends \| [1-9]`, `\| none \| text \| [1-9]`, `With a page that never reads, .* ≤ 1.25: (pass|FAIL)$`)
}

func TestMemory(t *testing.T) {
	t.Parallel()
	drivertest.Rows(t, measured(t, "memory"), `\| flood: .* \| [0-9.]+ MB \| [0-9.]+ MB \| -?[0-9.]+ MB \| [0-9.]+ MB \| ≤ 1.0 MB \| (pass|FAIL) \|$`)
}

// No resources remain, even for few agents.
func TestLeaks(t *testing.T) {
	t.Parallel()
	drivertest.Rows(t, measured(t, "leaks"), `\| behave \| 8 \| `, `Asked for: .*: pass$`)
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-parts", "all"}, []string{"-rounds", "0"}, []string{"-calls", "1000"}, []string{"-lasts", "0s"}, []string{"more"}, []string{"-unknown"})
}

func TestDelays(t *testing.T) {
	t.Parallel()
	var d delays
	if d.at(0.5) != 0 {
		t.Error("there is a median of nothing")
	}
	for i := range 100 {
		d = append(d, time.Duration(100-i)*time.Millisecond)
	}
	if got, want := d.cells(), "100 | 51.0 ms | 96.0 ms | 100.0 ms"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStamps(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, time.Now().UnixNano())
	got := stamps(fmt.Sprintf("…23456 @%d and @%d @12", now.UnixNano(), now.UnixNano()+1))
	if len(got) != 2 || !got[0].Equal(now) {
		t.Errorf("got %v, want twice %v", got, now)
	}
}

func TestBeginning_Stacks(t *testing.T) {
	t.Parallel()
	for want, stack := range map[string]string{
		"example.com/a.(*B).serve": "goroutine 7 [select]:\nexample.com/a.inner(0x1)\n\t/a.go:1\nexample.com/a.(*B).serve(0x1, 0x2)\n\t/a.go:2\ngithub.com/dougu-go/dougu/internal/group.(*Group).Go.func1()\n\t/g.go:3\nruntime.goexit({})\n\t/r.s:4\ncreated by github.com/dougu-go/dougu/internal/group.(*Group).Go in goroutine 1\n\t/g.go:5",
		"":                         "goroutine 8 [GC worker (idle)]:\nruntime.gopark()\n\t/r.go:1\ncreated by runtime.gcBgMarkStartWorkers in goroutine 1\n\t/r.go:2",
		"runtime.main":             "goroutine 1 [chan receive]:\nmain.main()\n\t/m.go:1\nruntime.main()\n\t/r.go:2\nruntime.goexit({})\n\t/r.s:3",
	} {
		if got := beginning(stack); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
