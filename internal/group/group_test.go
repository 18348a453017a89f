package group_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

func TestWait_AllEnded(t *testing.T) {
	var g group.Group
	var n atomic.Int32
	for range 10 {
		g.Go(func() { n.Add(1) })
	}
	g.Wait()
	if n.Load() != 10 {
		t.Errorf("%d goroutines ran, want 10", n.Load())
	}
}

func TestGroup_OnPanicReceivesThePanic(t *testing.T) {
	var value any
	var stack string
	g := group.Group{OnPanic: func(v any, s []byte) { value, stack = v, string(s) }}
	g.Go(func() { panic("boom") })
	g.Wait()
	if value != "boom" || !strings.Contains(stack, "group_test.go") {
		t.Errorf("reported %v with stack %q", value, stack)
	}
}

// captureLog makes the default logger write into a buffer for the time of a test.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	return &log
}

// panicOf returns the panic of f.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestGroup_PanicFailsTheOwner(t *testing.T) {
	waits := map[string]func(*group.Group){
		"Wait":      func(g *group.Group) { g.Wait() },
		"WaitFor":   func(g *group.Group) { g.WaitFor(time.Minute) },
		"WaitUntil": func(g *group.Group) { g.WaitUntil(context.Background()) },
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			log := captureLog(t)
			boom := errors.New("boom")
			var g group.Group
			g.Go(func() { panic(boom) })
			p, ok := panicOf(func() { wait(&g) }).(*group.Panic)
			if !ok || !errors.Is(p, boom) || !strings.Contains(string(p.Stack), "group_test.go") {
				t.Errorf("the owner panics with %v", p)
			}
			if got := log.String(); strings.Count(got, "panic=boom") != 1 || !strings.Contains(got, "group_test.go") {
				t.Errorf("the log has %q", got)
			}
		})
	}
}

func TestGroup_PanicOfAnInnerGroupIsLoggedOnce(t *testing.T) {
	log := captureLog(t)
	var outer group.Group
	outer.Go(func() {
		var inner group.Group
		inner.Go(func() { panic("boom") })
		inner.Wait()
	})
	p, ok := panicOf(outer.Wait).(*group.Panic)
	if !ok || p.Value != "boom" {
		t.Errorf("the owner panics with %v", p)
	}
	if n := strings.Count(log.String(), "panic=boom"); n != 1 {
		t.Errorf("the panic is logged %d times", n)
	}
}

func TestGroup_KeepRunsAgainAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := captureLog(t)
		var g group.Group
		runs := 0
		began := time.Now()
		g.Keep(t.Context(), func() {
			if runs++; runs < 4 {
				panic("boom")
			}
		})
		g.Wait()
		if took := time.Since(began); runs != 4 || took != 7*time.Second {
			t.Errorf("%d runs in %v", runs, took)
		}
		if n := strings.Count(log.String(), "panic=boom"); n != 3 {
			t.Errorf("%d panics are logged", n)
		}
	})
}

func TestAfterFunc_PanicIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := captureLog(t)
		began := time.Now()
		var took time.Duration
		timer := group.AfterFunc(time.Second, func() {
			took = time.Since(began)
			panic("boom")
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if took != time.Second || timer.Stop() {
			t.Errorf("it has run after %v", took)
		}
		if got := log.String(); strings.Count(got, "panic=boom") != 1 || !strings.Contains(got, "group_test.go") {
			t.Errorf("the log has %q", got)
		}
	})
}

func TestGroup_KeepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		reported := 0
		g := group.Group{OnPanic: func(any, []byte) { reported++; cancel() }}
		g.Keep(ctx, func() { panic("boom") })
		g.Wait()
		if reported != 1 {
			t.Errorf("%d panics are reported", reported)
		}
	})
}

func TestWaitFor_Timeout(t *testing.T) {
	var g group.Group
	release := make(chan struct{})
	g.Go(func() { <-release })
	if g.WaitFor(time.Millisecond) {
		t.Error("WaitFor said that a blocked goroutine had ended")
	}
	close(release)
	if !g.WaitFor(time.Minute) {
		t.Error("WaitFor did not see the end")
	}
}

func TestWaitUntil_Timeout(t *testing.T) {
	var g group.Group
	release := make(chan struct{})
	g.Go(func() { <-release })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if g.WaitUntil(ctx) {
		t.Error("WaitUntil said that a blocked goroutine had ended")
	}
	close(release)
	if !g.WaitUntil(t.Context()) {
		t.Error("WaitUntil did not see the end")
	}
}
