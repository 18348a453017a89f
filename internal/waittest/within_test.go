package waittest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
)

// recorder is a test that keeps its failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		name     string
		call     func()
		returned bool
		want     string // the begin of the only failure; empty is none
	}{
		{"short call", func() { time.Sleep(time.Second / 2) }, true, ""},
		{"panic", func() { panic("no more") }, true, "Close panicked: no more\n"},
		{"late panic", func() { time.Sleep(2 * time.Second); panic("no more") }, false, "Close has not returned within 1s\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &recorder{TB: t}
				returned := waittest.Within(r, time.Second, "Close", c.call)
				time.Sleep(5 * time.Second) // a late panic has no effect
				synctest.Wait()
				if want := min(len(c.want), 1); returned != c.returned || len(r.failures) != want || want == 1 && !strings.HasPrefix(r.failures[0], c.want) {
					t.Errorf("Within returned %t with the failures %.200q, want %t and %q", returned, r.failures, c.returned, c.want)
				}
			})
		})
	}
}
