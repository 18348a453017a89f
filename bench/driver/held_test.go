package driver

import (
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/bench/probe"
)

// holding returns a report of a hundred held items at this library's server, with 3 KiB each, 2 KiB of them live, and one goroutine
// each.
func holding(change func(*Held)) *Report {
	const each = 3 << 10
	h := &Held{Hold: IdleSessions, Server: Dougu, Count: 100,
		Before: Usage{probe.Stats{Goroutines: 10, Heap: 1 << 20, Stack: 1 << 18}, 10 << 20},
		Full:   20 << 20,
		During: Usage{probe.Stats{Goroutines: 110, Heap: 1<<20 + 100<<10, Stack: 1<<18 + 100<<10}, 10<<20 + 100*each},
		After:  Usage{probe.Stats{Goroutines: 10}, 10 << 20},
		Answer: 5 * time.Millisecond,
	}
	if change != nil {
		change(h)
	}
	return &Report{Go: "go1", OS: "plan9", Arch: "mips", CPUs: 2, InFlight: 16, Tools: 50, Held: []*Held{h}}
}

func TestSize_Judge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		size   Size
		change func(*Held)
		passed bool
		says   string
	}{
		{"each met", Size{Hold: IdleSessions, Each: 3 << 10}, nil, true, "3.0 KiB each"},
		{"each not met", Size{Hold: IdleSessions, Each: 3<<10 - 1}, nil, false, "3.0 KiB each"},
		{"live met", Size{Hold: IdleSessions, Live: 2 << 10}, nil, true, "2.0 KiB live each"},
		{"live not met", Size{Hold: IdleSessions, Live: 2<<10 - 1}, nil, false, "2.0 KiB live each"},
		{"in all met", Size{Hold: IdleSessions, Total: 20 << 20}, nil, true, "20.0 MiB in all"},
		{"in all not met", Size{Hold: IdleSessions, Total: 19 << 20}, nil, false, "20.0 MiB in all"},
		{"a goroutine each", Size{Hold: IdleSessions, NoGoroutines: true}, nil, false, "1 goroutines each"},
		{"no goroutines", Size{Hold: IdleSessions, NoGoroutines: true},
			func(h *Held) { h.During.Goroutines = 10 }, true, "0 goroutines each"},
		{"others answered", Size{Hold: IdleSessions, Answer: time.Second}, nil, true, "others wait 5.0 ms"},
		{"others kept waiting", Size{Hold: IdleSessions, Answer: time.Millisecond}, nil, false, "others wait 5.0 ms"},
		{"goroutines left", Size{Hold: IdleSessions, Total: 1 << 30},
			func(h *Held) { h.After.Goroutines = 60 }, false, "20.0 MiB in all, 50 goroutines are left over"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := test.size.Judge(holding(test.change))
			if !v.Measured || v.Passed != test.passed || v.Value != test.says || v.Workload != IdleSessions {
				t.Errorf("got %+v, want passed %t: %s", v, test.passed, test.says)
			}
		})
	}
	if v := (Size{Hold: Listens}).Judge(holding(nil)); v.Measured || v.Passed {
		t.Errorf("what was not held is judged: %+v", v)
	}
}

func TestSize_String(t *testing.T) {
	t.Parallel()
	s := Size{Hold: Listens, Each: 4 << 10, Live: 3 << 10, NoGoroutines: true, Total: 400 << 20, Answer: 10 * time.Second}
	const want = "≤ 4.0 KiB each, ≤ 3.0 KiB live each, no goroutines, ≤ 400.0 MiB in all, others wait ≤ 10s"
	if got := s.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriteTable_Held(t *testing.T) {
	t.Parallel()
	const want = `go1 plan9/mips, 2 CPUs, 16 in flight, 50 tools

| held open | server | count | RSS each | of it live | goroutines each | RSS in all | others wait | closed by the server | goroutines left |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
| idle-sessions | dougu | 100 | 3.0 KiB | 2.0 KiB | 1.00 | 20.0 MiB | 5.0 ms | 0 | 0 |
`
	var got strings.Builder
	if err := holding(nil).WriteTable(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
