package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/transport/httpserver"
)

// joined is a Handler that records each message and returns it reversed.
type joined struct {
	name string
	got  chan string
}

// hello is the message with which await checks that a handler has joined.
const hello = "are you there?"

func join(t *testing.T, ctx context.Context, s httpserver.Shared, others ...httpserver.Shared) *joined {
	t.Helper()
	j := &joined{name: rand.Text(), got: make(chan string, 100)}
	leave, err := s.Join(j.name, func(_ context.Context, message []byte) []byte {
		if string(message) == hello {
			return nil
		}
		j.got <- string(message)
		reply := bytes.Clone(message)
		slices.Reverse(reply)
		return reply
	})
	if err != nil {
		t.Fatalf("joining: %v", err)
	}
	t.Cleanup(leave)
	for _, other := range append(others, s) {
		await(t, ctx, other, j.name)
	}
	return j
}

// await returns when the named handler can be reached; other servers may learn of it with a delay.
func await(t *testing.T, ctx context.Context, s httpserver.Shared, name string) {
	t.Helper()
	for {
		_, err := s.Ask(ctx, name, []byte(hello))
		if err == nil {
			return
		}
		if !errors.Is(err, httpserver.ErrNoHandler) || ctx.Err() != nil {
			t.Fatalf("asking who has joined: %v", err)
		}
	}
}

func (j *joined) expect(t *testing.T, ctx context.Context, want string) {
	t.Helper()
	select {
	case got := <-j.got:
		if got != want {
			t.Errorf("received %.100q, want %.100q", got, want)
		}
	case <-ctx.Done():
		t.Errorf("%.100q did not come", want)
	}
}

func testAsk(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	one, two := join(t, ctx, a, b), join(t, ctx, b, a)
	for name, s := range map[string]httpserver.Shared{"a": a, "b": b} {
		for _, to := range []*joined{one, two} {
			if reply, err := s.Ask(ctx, to.name, []byte("ask")); err != nil || string(reply) != "ksa" {
				t.Errorf("%s: %q, %v", name, reply, err)
			}
			to.expect(t, ctx, "ask")
		}
	}
	if reply, err := a.Ask(ctx, two.name, nil); err != nil || len(reply) != 0 {
		t.Errorf("nothing: %q, %v", reply, err)
	}
	two.expect(t, ctx, "")
}

func testAskNobody(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	join(t, ctx, a)
	if _, err := b.Ask(ctx, rand.Text(), []byte("ask")); !errors.Is(err, httpserver.ErrNoHandler) {
		t.Errorf("asking nobody: %v", err)
	}
	if err := b.Tell(rand.Text(), []byte("tell")); err != nil {
		t.Errorf("telling nobody: %v", err)
	}
}

func testTell(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	one, two, three := join(t, ctx, a, b), join(t, ctx, b, a), join(t, ctx, b, a)
	if err := a.Tell(two.name, []byte("two")); err != nil {
		t.Errorf("telling one: %v", err)
	}
	two.expect(t, ctx, "two")
	if err := b.Tell("", []byte("all")); err != nil {
		t.Errorf("telling all: %v", err)
	}
	one.expect(t, ctx, "all") // the others are told or not
	if err := a.Tell("", []byte("again")); err != nil {
		t.Errorf("telling all: %v", err)
	}
	for _, j := range []*joined{two, three} {
		for {
			select {
			case got := <-j.got:
				if got == "all" {
					continue
				} else if got != "again" {
					t.Errorf("received %q", got)
				}
			case <-ctx.Done():
				t.Error("what all were told did not come")
			}
			break
		}
	}
}

func testLargeMessages(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	one := join(t, ctx, a, b)
	message := large()
	reply, err := b.Ask(ctx, one.name, message)
	if err != nil {
		t.Fatalf("asking with %d bytes: %v", len(message), err)
	}
	slices.Reverse(reply)
	if one.expect(t, ctx, string(message)); !bytes.Equal(reply, message) {
		t.Errorf("the reply has %d bytes", len(reply))
	}
}

func testLeave(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	name := rand.Text()
	var mu sync.Mutex
	left := false
	leave, err := a.Join(name, func(context.Context, []byte) []byte {
		mu.Lock()
		defer mu.Unlock()
		if left {
			t.Error("something was received after leaving")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	await(t, ctx, b, name)
	for range 10 {
		_ = b.Tell(name, []byte("x"))
	}
	leave()
	mu.Lock()
	left = true
	mu.Unlock()
	_ = b.Tell(name, []byte("x"))
	for { // others may learn of it a little later
		_, err := b.Ask(ctx, name, []byte("x"))
		if errors.Is(err, httpserver.ErrNoHandler) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("asking who has left: %v", err)
		}
	}
}

func testPatience(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	name, release := rand.Text(), make(chan struct{})
	leave, err := a.Join(name, func(_ context.Context, message []byte) []byte {
		if string(message) == "slow" {
			<-release
		}
		return []byte("done")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	defer close(release)
	await(t, ctx, b, name)
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := b.Ask(soon, name, []byte("slow")); err == nil || errors.Is(err, httpserver.ErrNoHandler) {
		t.Errorf("asking who takes its time: %v", err)
	}
	if reply, err := b.Ask(ctx, name, []byte("quick")); err != nil || string(reply) != "done" {
		t.Errorf("asking in between: %q, %v", reply, err)
	}
}
