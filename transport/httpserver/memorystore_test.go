package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// kept returns the stored events after an event, joined, or the error.
func kept(store httpserver.EventStore, session string, number, seq int64) string {
	events, err := store.After(context.Background(), httpserver.EventStream{Session: session, Number: number}, seq)
	if err != nil {
		return err.Error()
	}
	var all []string
	for i, e := range events {
		if e.Seq != seq+1+int64(i) {
			return fmt.Sprintf("event %d at %d", e.Seq, i)
		}
		all = append(all, string(e.Data))
	}
	return strings.Join(all, " ")
}

func TestMemoryStore_Limits(t *testing.T) {
	lost := httpserver.ErrEventsLost.Error()
	add := func(store httpserver.EventStore, session string, number, seq int64, data string) {
		buffer := []byte(data)
		if err := store.Append(t.Context(), httpserver.EventStream{Session: session, Number: number}, httpserver.KeptEvent{Seq: seq, Data: buffer}); err != nil {
			t.Fatal(err)
		}
		clear(buffer) // it is the caller's
	}
	expect := func(store httpserver.EventStore, session string, number, seq int64, want string) {
		t.Helper()
		if got := kept(store, session, number, seq); got != want {
			t.Errorf("%s/%d after %d: %q, want %q", session, number, seq, got, want)
		}
	}
	t.Run("streams are apart", func(t *testing.T) {
		store := httpserver.NewMemoryStore(nil)
		add(store, "s", 1, 1, "a")
		add(store, "s", 2, 1, "x")
		add(store, "s", 1, 2, "b")
		add(store, "r", 1, 1, "y")
		expect(store, "s", 1, 0, "a b")
		expect(store, "s", 1, 1, "b")
		expect(store, "s", 1, 2, "")
		expect(store, "s", 2, 0, "x")
		expect(store, "r", 1, 0, "y")
		expect(store, "s", 3, 0, lost)
		expect(store, "t", 1, 0, lost)
		if err := store.Forget(t.Context(), "s"); err != nil {
			t.Error(err)
		}
		expect(store, "s", 1, 0, lost)
		expect(store, "r", 1, 0, "y")
		if err := store.Forget(t.Context(), "nobody"); err != nil {
			t.Error(err)
		}
	})
	t.Run("by count", func(t *testing.T) {
		store := httpserver.NewMemoryStore(&httpserver.MemoryOptions{Events: 2})
		for i := range int64(4) {
			add(store, "s", 1, i+1, fmt.Sprint(i+1))
		}
		expect(store, "s", 1, 1, lost)
		expect(store, "s", 1, 2, "3 4")
		add(store, "s", 2, 1, "x")
		add(store, "s", 2, 2, "y")
		expect(store, "s", 1, 4, lost)
		expect(store, "s", 2, 0, "x y")
	})
	t.Run("by bytes", func(t *testing.T) {
		store := httpserver.NewMemoryStore(&httpserver.MemoryOptions{Bytes: 10})
		add(store, "s", 1, 1, "aaaaaa")
		add(store, "s", 1, 2, "bbbbbb")
		expect(store, "s", 1, 0, lost)
		expect(store, "s", 1, 1, "bbbbbb")
		add(store, "s", 1, 3, strings.Repeat("c", 11)) // too large to be kept at all
		expect(store, "s", 1, 2, lost)
		add(store, "s", 1, 4, "d")
		expect(store, "s", 1, 3, "d")
	})
	t.Run("by bytes of all", func(t *testing.T) {
		store := httpserver.NewMemoryStore(&httpserver.MemoryOptions{TotalBytes: 10})
		add(store, "s", 1, 1, "aaaa")
		add(store, "r", 1, 1, "bbbb")
		add(store, "s", 1, 2, "cc") // now r was not added to for longest
		add(store, "s", 1, 3, "dd")
		expect(store, "r", 1, 0, lost)
		expect(store, "s", 1, 0, "aaaa cc dd")
	})
	t.Run("by age", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := httpserver.NewMemoryStore(&httpserver.MemoryOptions{Age: time.Minute})
			add(store, "s", 1, 1, "a")
			add(store, "r", 1, 1, "x")
			time.Sleep(40 * time.Second)
			add(store, "s", 1, 2, "b")
			time.Sleep(40 * time.Second)
			expect(store, "s", 1, 0, lost)
			expect(store, "s", 1, 1, "b")
			add(store, "s", 1, 3, "c")
			expect(store, "r", 1, 0, lost)
			time.Sleep(2 * time.Minute)
			expect(store, "s", 1, 2, lost)
		})
	})
}

// brokenStore is an EventStore that cannot be reached.
type brokenStore struct{}

var errUnreachable = errors.New("unreachable")

func (brokenStore) Append(context.Context, httpserver.EventStream, httpserver.KeptEvent) error {
	return errUnreachable
}

func (brokenStore) After(context.Context, httpserver.EventStream, int64) ([]httpserver.KeptEvent, error) {
	return nil, errUnreachable
}

func (brokenStore) Forget(context.Context, string) error { return errUnreachable }

// Without a store that works there is no coming back, and all else works.
func TestHandler_UnreachableEventStore(t *testing.T) {
	inBubble(t, &httpserver.Options{Events: brokenStore{}}, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		resp := s.send(s.Context(), http.MethodPost, callBody("1", "work", `{}`), "Mcp-Session-Id", session)
		defer resp.Body.Close()
		awaitEvent(t, bufio.NewReader(resp.Body), "done")
		status, answer := s.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", "1-1")
		if status != http.StatusInternalServerError || errorCode(t, answer) != protocol.CodeInternal {
			t.Errorf("coming back: status %d, %s", status, answer)
		}
		if status, _ := s.roundTrip(http.MethodDelete, "", "Mcp-Session-Id", session); status != http.StatusNoContent {
			t.Errorf("DELETE: status %d", status)
		}
	})
}

// forgetful is an EventStore that misses the event with the number 2.
type forgetful struct{ httpserver.EventStore }

func (f forgetful) Append(ctx context.Context, stream httpserver.EventStream, event httpserver.KeptEvent) error {
	if event.Seq == 2 {
		return errUnreachable
	}
	return f.EventStore.Append(ctx, stream, event)
}

// A gap in the stored events is an error.
func TestHandler_GapInEventStore(t *testing.T) {
	inBubble(t, &httpserver.Options{Events: forgetful{httpserver.NewMemoryStore(nil)}}, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		resp := s.send(s.Context(), http.MethodPost, callBody("1", "work", `{}`), "Mcp-Session-Id", session)
		defer resp.Body.Close()
		awaitEvent(t, bufio.NewReader(resp.Body), "done")
		if status, answer := s.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", "1-0"); status != http.StatusBadRequest {
			t.Errorf("coming back before the gap: status %d, %s", status, answer)
		}
		if status, answer := s.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", "1-3"); status != http.StatusOK || !strings.Contains(answer, "done") {
			t.Errorf("coming back after it: status %d, %s", status, answer)
		}
	})
}
