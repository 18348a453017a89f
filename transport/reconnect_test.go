package transport_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

func TestReconnecting_BrokenConnection(t *testing.T) {
	forEachEra(t, func(t *testing.T, rev protocol.Revision) {
		var events []transport.Reconnection
		client, _, f := reconnecting(t, transport.Reconnect{OnReconnect: func(e transport.Reconnection) { events = append(events, e) }}, &mcp.ClientOptions{Revision: rev})
		for i := range 3 {
			f.goAway(2)
			// The call waits until the third attempt succeeds.
			if text, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "again"}); err != nil || text != "Hello, again" {
				t.Fatalf("greet: %q, %v", text, err)
			}
			if client.Revision() != rev || client.Server().Server.Name != "station" || f.connections() != i+2 {
				t.Errorf("connected at %s to %+v, %d times", client.Revision(), client.Server(), f.connections())
			}
			time.Sleep(time.Hour)
		}
		if len(events) != 9 {
			t.Fatalf("%d attempts, want 9", len(events))
		}
		for i, e := range events {
			if e.Attempt != i%3+1 || e.Cause == nil || (e.Err == nil) != (i%3 == 2) {
				t.Errorf("attempt %d: %+v", i, e)
			}
		}
		if !slices.Equal(slices.Compact(f.revs), []protocol.Revision{rev}) {
			t.Errorf("asked for %v", f.revs)
		}
	})
}

// A new connection uses the revision of the first one without negotiation.
func TestReconnecting_KeepsRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _, f := reconnecting(t, transport.Reconnect{}, nil)
		f.disconnect()
		if err := client.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []protocol.Revision{"", protocol.Latest}; !slices.Equal(f.revs, want) {
			t.Errorf("asked for %q, want %q", f.revs, want)
		}
	})
}

func TestReconnecting_Delays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _, f := reconnecting(t, transport.Reconnect{Attempts: 7, Delay: time.Second, MaxDelay: 10 * time.Second}, nil)
		wasRead := time.Now()
		f.goAway(1000)
		<-client.Done()
		if len(f.attempts) != 8 {
			t.Fatalf("%d attempts, want 7 after the first", len(f.attempts)-1)
		}
		last := wasRead
		for i, at := range f.attempts[1:] {
			want := min(time.Second<<i, 10*time.Second)
			if wait := at.Sub(last); wait < want/2 || wait > want {
				t.Errorf("attempt %d came after %v, want %v or down to a half of that", i+1, wait, want)
			}
			last = at
		}
	})
}

func TestReconnecting_AttemptsExhausted(t *testing.T) {
	forEachEra(t, func(t *testing.T, rev protocol.Revision) {
		client, _, f := reconnecting(t, transport.Reconnect{Attempts: 2}, &mcp.ClientOptions{Revision: rev})
		f.goAway(1000)
		const why = "in 2 attempts it could not be opened again: the server is away"
		if _, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "x"}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("a call that waited: %v", err)
		}
		<-client.Done()
		if _, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "x"}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("a call after the end: %v", err)
		}
		if client.Revision() != rev || client.Server().Server.Name != "station" {
			t.Error("what the server was is forgotten")
		}
		if err := client.Close(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("closing: %v", err)
		}
	})
}

// A connection that breaks as soon as it is open counts as an attempt.
func TestReconnecting_ImmediateBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _, f := reconnecting(t, transport.Reconnect{Attempts: 3}, nil)
		for range 3 {
			f.disconnect()
			if err := client.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		f.disconnect()
		<-client.Done()
		if err := client.Close(); err == nil || !strings.Contains(err.Error(), "again and again") {
			t.Errorf("closing: %v", err)
		}
	})
}

func TestReconnecting_NegativeAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _, f := reconnecting(t, transport.Reconnect{Attempts: -1}, nil)
		f.disconnect()
		<-client.Done()
		if err := client.Ping(t.Context()); !errors.Is(err, transport.ErrClosed) {
			t.Errorf("ping: %v", err)
		}
	})
}

func TestReconnecting_InFlightCall(t *testing.T) {
	forEachEra(t, func(t *testing.T, rev protocol.Revision) {
		client, s, f := reconnecting(t, transport.Reconnect{}, &mcp.ClientOptions{Revision: rev})
		failed := make(chan error, 1)
		go func() {
			_, err := mcp.Call[string](t.Context(), client, "wait", nil)
			failed <- err
		}()
		<-s.began
		f.disconnect()
		if err := <-failed; !errors.Is(err, transport.ErrRequestLost) || s.count("tools/call") != 1 {
			t.Errorf("the call: %v, sent %d times", err, s.count("tools/call"))
		}
	})
}

// A request that only reads is sent a second time, not a third time.
func TestReconnecting_InFlightList(t *testing.T) {
	forEachEra(t, func(t *testing.T, rev protocol.Revision) {
		for breaks := 1; breaks <= 2; breaks++ {
			client, s, f := reconnecting(t, transport.Reconnect{}, &mcp.ClientOptions{Revision: rev})
			listed := make(chan error, 1)
			stall := func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.stall = "tools/list"
			}
			stall()
			go func() {
				for _, err := range client.Tools(t.Context()) {
					listed <- err
					return
				}
			}()
			<-s.began
			if breaks == 2 {
				stall()
				f.disconnect()
				<-s.began
			}
			f.disconnect()
			err := <-listed
			if lost := errors.Is(err, transport.ErrRequestLost); lost != (breaks == 2) || !lost && err != nil || s.count("tools/list") != 2 {
				t.Errorf("after %d breaks: %v, sent %d times", breaks, err, s.count("tools/list"))
			}
		}
	})
}

// A request that waits for a connection ends with its context.
func TestReconnecting_ContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _, f := reconnecting(t, transport.Reconnect{Delay: time.Hour, MaxDelay: time.Hour}, nil)
		f.disconnect()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := client.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ping: %v", err)
		}
	})
}

func TestReconnecting_CloseWithoutConnection(t *testing.T) {
	for name, tc := range map[string]func(f *fragile){
		"before an attempt": func(f *fragile) { f.disconnect() },
		"after some":        func(f *fragile) { f.goAway(3); time.Sleep(4 * time.Second) },
		"in the moment":     func(f *fragile) { go f.disconnect() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, _, f := reconnecting(t, transport.Reconnect{}, nil)
				tc(f)
				waiting := make(chan error, 1)
				go func() { waiting <- client.Ping(t.Context()) }()
				wasRead := time.Now()
				if err := client.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
				if took := time.Since(wasRead); took > 10*time.Millisecond {
					t.Errorf("closing took %v", took)
				}
				<-client.Done()
				if err := <-waiting; err != nil && !errors.Is(err, transport.ErrClosed) && !errors.Is(err, mcp.ErrClosed) && !errors.Is(err, transport.ErrRequestLost) {
					t.Errorf("the request that waited: %v", err)
				}
			})
		})
	}
}

// A server that hangs in the handshake does not delay Close.
func TestReconnecting_CloseDuringHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, s, f := reconnecting(t, transport.Reconnect{}, nil)
		s.mu.Lock()
		s.stall = "server/discover"
		s.mu.Unlock()
		f.disconnect()
		<-s.began
		wasRead := time.Now()
		if err := client.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if took := time.Since(wasRead); took > 100*time.Millisecond {
			t.Errorf("closing took %v", took)
		}
	})
}

// Subscriptions survive the connection. All of their lists and resources are
// reported as changed.
func TestReconnecting_Subscriptions(t *testing.T) {
	forEachEra(t, func(t *testing.T, rev protocol.Revision) {
		changed := make(chan string, 100)
		client, s, f := reconnecting(t, transport.Reconnect{}, &mcp.ClientOptions{Revision: rev, OnListChanged: func(list string) { changed <- list }})
		heard := make(chan protocol.Notification, 100)
		sub, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}, func(n protocol.Notification) { heard <- n })
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			f.disconnect()
			if n, ok := (<-heard).(*protocol.ListChangedNotification); !ok || n.List != "tools" {
				t.Errorf("after the break the subscription heard %+v", n)
			}
			if list := <-changed; list != "tools" {
				t.Errorf("after the break the list %q changed", list)
			}
			time.Sleep(time.Hour)
			drain(changed)
			drain(heard)
			extra := mcp.NewTool(mcp.Tool{Name: fmt.Sprintf("extra%d", round)}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil })
			if err := s.Replace("extra", mcp.Features{Tools: []mcp.ServerTool{extra}}); err != nil {
				t.Fatal(err)
			}
			if n, ok := (<-heard).(*protocol.ListChangedNotification); !ok || n.List != "tools" {
				t.Errorf("the subscription heard %+v", n)
			}
			if list := <-changed; list != "tools" {
				t.Errorf("the list %q changed", list)
			}
		}
		select {
		case <-sub.Done():
			t.Errorf("the subscription has ended: %v", sub.Err())
		default:
		}
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
	})
}

func drain[T any](c chan T) {
	for len(c) > 0 {
		<-c
	}
}

// The new session of a legacy revision has the log level of the previous one.
func TestReconnecting_LogLevel(t *testing.T) {
	forEachEra(t, func(t *testing.T, rev protocol.Revision) {
		logged := make(chan protocol.LogNotification, 10)
		client, _, f := reconnecting(t, transport.Reconnect{}, &mcp.ClientOptions{Revision: rev, LogLevel: protocol.LevelError, OnLog: func(n protocol.LogNotification) { logged <- n }})
		for range 2 {
			if _, err := mcp.Call[string](t.Context(), client, "log", nil); err != nil {
				t.Fatal(err)
			}
			if n := <-logged; n.Level != protocol.LevelError {
				t.Errorf("logged %+v", n)
			}
			synctest.Wait()
			if len(logged) > 0 {
				t.Errorf("logged %+v, below the level", <-logged)
			}
			f.disconnect()
		}
	})
}

// Notifications of the client's own wait for a connection too.
func TestReconnecting_Notifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		//lint:ignore SA1019 every revision must go on working
		client, _, f := reconnecting(t, transport.Reconnect{Attempts: 2}, &mcp.ClientOptions{Revision: protocol.Rev20251125, Roots: func(context.Context) ([]mcp.Root, error) { return nil, nil }})
		f.goAway(1)
		synctest.Wait()
		//lint:ignore SA1019 every revision must go on working
		if err := client.RootsChanged(t.Context()); err != nil {
			t.Errorf("a notification: %v", err)
		}
		f.goAway(1000)
		<-client.Done()
		//lint:ignore SA1019 every revision must go on working
		if err := client.RootsChanged(t.Context()); err == nil {
			t.Error("a notification after the end was sent")
		}
	})
}

// Connect returns the error of the first connection without another attempt.
func TestReconnecting_FirstConnection(t *testing.T) {
	f := &fragile{failuresLeft: 1}
	_, err := mcp.Connect(t.Context(), transport.Reconnecting{Transport: f}, mcp.Implementation{Name: "test"}, nil)
	if err == nil || len(f.attempts) != 1 {
		t.Errorf("connecting: %v after %d attempts", err, len(f.attempts))
	}
}
