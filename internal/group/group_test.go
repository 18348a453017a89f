package group_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

func TestWaitReturnsWhenAllHaveEnded(t *testing.T) {
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

func TestAPanicIsContainedAndReported(t *testing.T) {
	var value any
	var stack string
	g := group.Group{OnPanic: func(v any, s []byte) { value, stack = v, string(s) }}
	g.Go(func() { panic("boom") })
	g.Wait()
	if value != "boom" || !strings.Contains(stack, "group_test.go") {
		t.Errorf("reported %v with stack %q", value, stack)
	}
	var silent group.Group
	silent.Go(func() { panic("unheard") })
	silent.Wait()
}

func TestWaitForGivesUp(t *testing.T) {
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

func TestWaitUntilGivesUp(t *testing.T) {
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
