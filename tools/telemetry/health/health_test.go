package health_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/telemetry/health"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func finds(details string, err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return details, err }
}

// takes returns a check that runs for a time and ignores its context.
func takes(d time.Duration) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		time.Sleep(d)
		return "done", nil
	}
}

func newChecker(t testing.TB, o health.Options) *health.Checker {
	t.Helper()
	c, err := health.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func check(t testing.TB, c *health.Checker) health.Report {
	t.Helper()
	report, err := c.Check(context.Background())
	if err != nil {
		t.Error(err)
	}
	return report
}

func get(t testing.TB, c *health.Checker) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestChecker_Reports(t *testing.T) {
	ok := health.Check{Name: "mcp-server", Run: finds("MCP server is responding", nil)}
	for _, tc := range []struct {
		name   string
		o      health.Options
		status int
		checks string
	}{
		{"nothing to check", health.Options{}, 200, `"status":"healthy","timestamp":"2000-01-01T00:00:00Z","checks":[]`},
		{"all well", health.Options{Checks: []health.Check{ok, {Name: "plugins", Run: finds("2 of 2", nil)}}}, 200,
			`"status":"healthy","timestamp":"2000-01-01T00:00:00Z","checks":[{"name":"mcp-server","status":"healthy","details":"MCP server is responding"},{"name":"plugins","status":"healthy","details":"2 of 2"}]`},
		{"one is not", health.Options{Checks: []health.Check{{Name: "plugins", Run: finds("", errors.New("github:\n\x1bgone"))}, ok}}, 503,
			`"status":"unhealthy","timestamp":"2000-01-01T00:00:00Z","checks":[{"name":"plugins","status":"unhealthy","details":"github: gone"},{"name":"mcp-server","status":"healthy","details":"MCP server is responding"}]`},
		{"one that need not be", health.Options{Checks: []health.Check{{Name: "github", Run: finds("", errors.New("no token")), Optional: true}}}, 200,
			`"checks":[{"name":"github","status":"unhealthy","details":"no token"}]`},
		{"in brief", health.Options{Checks: []health.Check{{Name: "github", Run: finds("", errors.New("no token"))}}, Brief: true}, 503, `"status":"unhealthy","timestamp":"2000-01-01T00:00:00Z","checks":[]`},
		{"a panic", health.Options{Checks: []health.Check{{Name: "odd", Run: func(context.Context) (string, error) { panic("oh") }}, ok}}, 503,
			`{"name":"odd","status":"unhealthy","details":"the check panicked"}`},
		{"much to say", health.Options{Checks: []health.Check{{Name: "long", Run: finds(strings.Repeat("x", 1<<20), nil)}}}, 200, strings.Repeat("x", 500) + "…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChecker(t, tc.o)
				defer c.Close(context.Background())
				status, body := get(t, c)
				if status != tc.status || !strings.Contains(body, tc.checks) || len(body) > 1000 || !json.Valid([]byte(body)) {
					t.Errorf("%d %s", status, body)
				}
			})
		})
	}
}

// Checks run in parallel, and each is limited by its timeout.
func TestChecker_SlowChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		c := newChecker(t, health.Options{Checks: []health.Check{
			{Name: "a", Run: takes(time.Second)}, {Name: "b", Run: takes(1900 * time.Millisecond)}, {Name: "c", Run: takes(4 * time.Second), Timeout: 5 * time.Second},
			{Name: "d", Run: func(ctx context.Context) (string, error) { runs.Add(1); return takes(time.Minute)(ctx) }},
			{Name: "e", Run: func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }, Timeout: 3 * time.Second},
		}})
		start := time.Now()
		report := check(t, c)
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("took %v", took)
		}
		var got []string
		for _, r := range report.Checks {
			got = append(got, fmt.Sprint(r.Name, " ", r.Status, " ", r.Details))
		}
		text := strings.Join(got, "; ")
		if text != "a healthy done; b healthy done; c healthy done; d unhealthy no result within 2s; e unhealthy context deadline exceeded" &&
			text != "a healthy done; b healthy done; c healthy done; d unhealthy no result within 2s; e unhealthy no result within 3s" { // its end and the timeout coincide
			t.Errorf("found %s", text)
		}
		time.Sleep(10 * time.Second)
		if check(t, c); runs.Load() != 1 {
			t.Errorf("d runs %d times", runs.Load())
		}
		time.Sleep(time.Minute)
		if check(t, c); runs.Load() != 1 { // the result of the run that has ended
			t.Errorf("d runs %d times", runs.Load())
		}
		time.Sleep(2 * time.Second)
		check(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Close(ctx); err == nil || !strings.Contains(err.Error(), "have not ended") {
			t.Errorf("closing: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Concurrent and frequent calls share few runs, and only changes are logged.
func TestChecker_ManyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		var wrong atomic.Bool
		log := new(bytes.Buffer)
		c := newChecker(t, health.Options{Log: slog.New(slog.NewTextHandler(log, nil)), Checks: []health.Check{{Name: "a", Run: func(context.Context) (string, error) {
			runs.Add(1)
			time.Sleep(time.Millisecond)
			if wrong.Load() {
				return "", errors.New("wrong")
			}
			return "", nil
		}}}})
		defer c.Close(context.Background())
		ask := func() {
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() { check(t, c) })
			}
			all.Wait()
		}
		ask()
		wrong.Store(true)
		ask()
		if runs.Load() != 1 || log.Len() > 0 {
			t.Errorf("ran %d times; the log says %s", runs.Load(), log)
		}
		time.Sleep(time.Second)
		ask()
		time.Sleep(time.Second)
		ask()
		if text := log.String(); runs.Load() != 3 || strings.Count(text, "unhealthy") != 2 || strings.Count(text, "\n") != 1 {
			t.Errorf("ran %d times; the log says %s", runs.Load(), text)
		}
		wrong.Store(false)
		time.Sleep(time.Second)
		ask()
		if text := log.String(); strings.Count(text, "\n") != 2 {
			t.Errorf("the log says %s", text)
		}
	})
}

// A caller whose context ends does not wait for slow checks.
func TestCheck_ContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChecker(t, health.Options{Checks: []health.Check{{Name: "slow", Run: takes(time.Second)}}})
		defer c.Close(context.Background())
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := c.Check(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if report := check(t, c); report.Status != health.Healthy {
			t.Errorf("%+v", report)
		}
	})
}

func TestNew_InvalidOptions(t *testing.T) {
	for _, checks := range [][]health.Check{{{Run: finds("", nil)}}, {{Name: "a"}}, {{Name: "a", Run: finds("", nil)}, {Name: "a", Run: finds("", nil)}}} {
		if _, err := health.New(health.Options{Checks: checks}); err == nil {
			t.Errorf("%+v are taken", checks)
		}
	}
	c := newChecker(t, health.Options{})
	defer c.Close(context.Background())
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405} {
		w := httptest.NewRecorder()
		c.ServeHTTP(w, httptest.NewRequest(method, "/healthz", nil))
		if w.Code != want {
			t.Errorf("%s: %d", method, w.Code)
		}
		w = httptest.NewRecorder()
		health.Live(w, httptest.NewRequest(method, "/livez", nil))
		if w.Code != want {
			t.Errorf("liveness by %s: %d", method, w.Code)
		}
	}
}

func Example() {
	checker, err := health.New(health.Options{Checks: []health.Check{
		{Name: "mcp-server", Run: func(context.Context) (string, error) { return "it answers", nil }},
		{Name: "plugins", Run: func(context.Context) (string, error) { return "", errors.New("github does not answer") }, Optional: true},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer checker.Close(context.Background())
	report, err := checker.Check(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status)
	for _, check := range report.Checks {
		fmt.Println(check.Name, check.Status, check.Details)
	}
	// Output:
	// healthy
	// mcp-server healthy it answers
	// plugins unhealthy github does not answer
}
