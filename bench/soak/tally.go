package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// tally counts the results of requests.
type tally struct {
	mu                     sync.Mutex
	asked, limited, failed int
	errs                   map[string]int // by the beginning of the message
	all                    times
	by                     map[string]*times
}

// add counts the response to a request.
func (t *tally) add(what string, took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked++
	if err != nil {
		var refused *mcp.ToolFailure
		if errors.As(err, &refused) && strings.Contains(err.Error(), "RATE_LIMITED") {
			t.limited++
			return
		}
		t.failed++
		if t.errs == nil {
			t.errs = make(map[string]int)
		}
		text := what + ": " + err.Error()
		if len(t.errs) < 20 {
			t.errs[text[:min(len(text), 200)]]++
		}
		return
	}
	if t.by == nil {
		t.by = make(map[string]*times)
	}
	if t.by[what] == nil {
		t.by[what] = new(times)
	}
	t.all.add(took)
	t.by[what].add(took)
}

// examples returns the most frequent errors.
func (t *tally) examples() string {
	var b strings.Builder
	most := slices.SortedFunc(maps.Keys(t.errs), func(a, b string) int { return t.errs[b] - t.errs[a] })
	for _, text := range most[:min(5, len(most))] {
		fmt.Fprintf(&b, "; %d × %s", t.errs[text], strings.ReplaceAll(text, "\n", " "))
	}
	return b.String()
}

// table prints the response times.
func (t *tally) table(w io.Writer) {
	fmt.Fprintln(w, "| tool | answers | p50 | p95 | p99 | slowest |\n|---|---|---|---|---|---|")
	row := func(name string, x *times) {
		ms := func(p float64) string {
			return fmt.Sprintf("%.1f ms", float64(x.quantile(p))/float64(time.Millisecond))
		}
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %.1f ms |\n", name, x.n, ms(.5), ms(.95), ms(.99), float64(x.most)/float64(time.Millisecond))
	}
	for _, name := range slices.Sorted(maps.Keys(t.by)) {
		row(name, t.by[name])
	}
	row("all", &t.all)
	fmt.Fprintln(w)
}

// times is a histogram of durations with steps of 2 %, whose size does not grow with the number of durations.
type times struct {
	n     int
	most  time.Duration
	steps [1500]int
}

const step = 1.02

func (x *times) add(d time.Duration) {
	x.n++
	x.most = max(x.most, d)
	at := int(math.Log(max(1, float64(d)/float64(time.Microsecond))) / math.Log(step))
	x.steps[min(at, len(x.steps)-1)]++
}

// quantile returns a quantile, rounded up to a step.
func (x *times) quantile(p float64) time.Duration {
	left := int(math.Ceil(p * float64(x.n)))
	for at, n := range x.steps {
		if left -= n; left <= 0 && n > 0 {
			return min(x.most, time.Duration(math.Pow(step, float64(at+1))*float64(time.Microsecond)))
		}
	}
	return x.most
}

// history is the state of the server in the three thirds of the run.
type history struct {
	sum         [3]float64 // of resident bytes
	n           [3]int
	most        state
	begun, last state
}

// record records the state of the server.
func (h *history) record(ctx context.Context, sv *server, at, all time.Duration) error {
	s, err := sv.readState(ctx)
	if err != nil {
		return err
	}
	third := min(2, int(3*at/all))
	h.sum[third] += s.resident
	h.n[third]++
	if h.begun.worked == 0 {
		h.begun = s
	}
	h.last = s
	h.most.goroutines = max(h.most.goroutines, s.goroutines)
	h.most.descriptors = max(h.most.descriptors, s.descriptors)
	return nil
}

// mean returns the mean memory in a third.
func (h *history) mean(third int) float64 { return h.sum[third] / float64(max(1, h.n[third])) }
