package presence_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

func TestConnections_Pauses(t *testing.T) {
	refused, deserted := errors.New("busy"), error(syscall.ECONNREFUSED)
	for name, tt := range map[string]struct {
		err      error
		deserted time.Duration
		pauses   []time.Duration
	}{
		"busy":                     {refused, 2 * time.Second, []time.Duration{1, 2, 4, 8, 16, 30, 30}},
		"deserted":                 {deserted, 2 * time.Second, []time.Duration{1, 2, 2, 2}},
		"deserted without a bound": {deserted, 0, []time.Duration{1, 2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := presence.NewConnections[string, int]()
				for i, pause := range tt.pauses {
					if first := c.Failed("socket", 1, tt.err, tt.deserted); first != (i == 0) {
						t.Errorf("failure %d: first is %v", i+1, first)
					}
					time.Sleep(pause*time.Second - time.Nanosecond)
					if c.Begin("socket", 1) {
						t.Errorf("failure %d: the next attempt is due before %d seconds", i+1, pause)
					}
					time.Sleep(time.Nanosecond)
					if !c.Begin("socket", 1) {
						t.Errorf("failure %d: the next attempt is not due after %d seconds", i+1, pause)
					}
				}
				if c.Failed("socket", 1, tt.err, tt.deserted); !c.Begin("socket", 2) || !c.Failed("socket", 2, tt.err, tt.deserted) {
					t.Error("another editor at the place is not tried at once")
				}
			})
		})
	}
}

func TestConnections_Sessions(t *testing.T) {
	c := presence.NewConnections[string, int]()
	c.Failed("a", 1, syscall.ECONNREFUSED, 0)
	if c.Failure(false) != nil || c.Failure(true) == nil {
		t.Errorf("the failures are %v and %v", c.Failure(false), c.Failure(true))
	}
	c.Connected("a", "session")
	if c.Begin("a", 1) || c.Begin("a", 2) || c.Failure(true) != nil || !slices.Equal(c.All(), []string{"session"}) {
		t.Errorf("with a session: failure %v, sessions %q", c.Failure(true), c.All())
	}
	c.Ended("a")
	if !c.Begin("a", 1) || len(c.All()) != 0 {
		t.Errorf("after the end: sessions %q", c.All())
	}
	c.Failed("b", 1, errors.New("busy"), 0)
	c.Keep(map[string]bool{"b": true})
	if c.Failure(false) == nil {
		t.Error("the attempt at a place that was found is forgotten")
	}
	if c.Keep(map[string]bool{}); c.Failure(true) != nil || !c.Begin("b", 1) {
		t.Error("the attempt at a place that was not found is remembered")
	}
}
