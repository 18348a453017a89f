package legacy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

// client is the peer of a session; it records the notifications.
type client struct {
	mu   sync.Mutex
	told []string
	gone error // error of sending to it
}

func (c *client) send(method string, params []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, strings.TrimPrefix(method, "notifications/")+" "+string(params))
	return c.gone
}

func (c *client) take() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	told := c.told
	c.told = nil
	return told
}

func open(t *testing.T, rev protocol.Revision) *legacy.Session {
	t.Helper()
	s, err := legacy.Open(fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, rev))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request that belongs to the session.
func ask(ctx context.Context, s *legacy.Session, d protocol.Dispatcher, method, params string) error {
	_, err, own := s.Answer(ctx, d, &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params)})
	if !own {
		return errors.New("not the session's own")
	}
	return err
}

func library(t *testing.T) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	if err := srv.Replace("o", mcp.Features{ReserveTools: true, ReserveResources: true}); err != nil {
		t.Fatal(err)
	}
	return srv
}

// A session hears of the lists from the start, and of the resources that it is
// subscribed to at that moment.
func TestFollow(t *testing.T) {
	for _, rev := range protocol.Revisions()[1:] {
		t.Run(string(rev), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, s, c := library(t), open(t, rev), new(client)
				ctx, cancel := context.WithCancel(t.Context())
				must := func(err error) {
					if err != nil {
						t.Helper()
						t.Error(err)
					}
				}
				check := func(want ...string) {
					t.Helper()
					if got := c.take(); !slices.Equal(got, want) {
						t.Errorf("told %q, want %q", got, want)
					}
				}
				must(ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:early"}`)) // before the first Follow
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					s.Follow(ctx, srv, protocol.Peer{}, c.send)()
				}()
				synctest.Wait()
				srv.ResourceUpdated("a:early")
				srv.ResourceUpdated("a:b")
				check(`resources/updated {"uri":"a:early"}`)

				must(ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:b"}`))
				srv.ResourceUpdated("a:b/part") // at once: the subscription holds when it is answered
				must(ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:b"}`))
				check(`resources/updated {"uri":"a:b/part"}`)

				must(ask(ctx, s, srv, "resources/unsubscribe", `{"uri":"a:b"}`))
				must(ask(ctx, s, srv, "resources/unsubscribe", `{"uri":"a:never"}`))
				srv.ResourceUpdated("a:b")
				check()

				must(mcp.AddTool(srv, mcp.Tool{Name: "t"}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil }))
				check("tools/list_changed {}")

				srv.Close() // its subscriptions end, and the session goes on
				synctest.Wait()
				cancel()
				<-ended
				check()
			})
		})
	}
}

// A client that is gone, and a dispatcher that has no subscriptions, end
// nothing but the telling.
func TestFollow_Unsupported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, c := library(t), &client{gone: errors.New("gone")}
		deaf := dispatcher(func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			if req.Method == "subscriptions/listen" {
				return nil, protocol.Errorf(protocol.CodeMethodNotFound, "no")
			}
			return srv.Dispatch(ctx, req)
		})
		for _, d := range []protocol.Dispatcher{srv, deaf} {
			ctx, cancel := context.WithCancel(t.Context())
			s := open(t, protocol.Rev20250618)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				s.Follow(ctx, d, protocol.Peer{}, c.send)()
			}()
			synctest.Wait()
			if err := ask(ctx, s, d, "resources/subscribe", `{"uri":"a:b"}`); err != nil {
				t.Error(err)
			}
			srv.ResourceUpdated("a:b")
			synctest.Wait()
			cancel()
			<-ended
		}
		if got := c.take(); len(got) != 1 {
			t.Errorf("told %q", got)
		}
	})
}

// A list waits for the subscription of the follower, because the client expects to
// hear of every later change. It does not wait for a subscription that is never
// acknowledged.
func TestAnswer_ListAwaitsFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acknowledge := make(chan struct{})
		slow := dispatcher(func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			select {
			case <-acknowledge:
				_ = req.Notify(ctx, &protocol.AcknowledgedNotification{})
			case <-ctx.Done():
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		ctx, cancel := context.WithCancel(t.Context())
		s, ended := open(t, protocol.Rev20251125), make(chan struct{})
		list := func() time.Duration {
			began := time.Now()
			if _, _, own := s.Answer(ctx, slow, &protocol.Request{ID: "1", Method: "tools/list"}); own {
				t.Error("the list is the session's own")
			}
			return time.Since(began)
		}
		if took := list(); took != 0 {
			t.Errorf("without a follower a list waits for %v", took)
		}
		go func() {
			defer close(ended)
			s.Follow(ctx, slow, protocol.Peer{}, new(client).send)()
		}()
		synctest.Wait()
		if took := list(); took != time.Second {
			t.Errorf("without an acknowledgement a list waits for %v", took)
		}
		time.AfterFunc(time.Millisecond, func() { close(acknowledge) })
		if took := list(); took != time.Millisecond {
			t.Errorf("a list waits for %v, and the acknowledgement comes after 1ms", took)
		}
		if took := list(); took != 0 {
			t.Errorf("with an open subscription a list waits for %v", took)
		}
		cancel()
		<-ended
	})
}

type dispatcher func(context.Context, *protocol.Request) (protocol.Result, error)

func (d dispatcher) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	return d(ctx, req)
}

func TestFollow_RefusedSubscriptions(t *testing.T) {
	srv, s, ctx := library(t), open(t, protocol.Rev20251125), t.Context()
	code := func(err error) int64 {
		var e *protocol.Error
		if !errors.As(err, &e) {
			return 0
		}
		return e.Code
	}
	for _, params := range []string{``, `{}`, `{"uri":""}`, `{"uri":5}`, `[]`} {
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			if err := ask(ctx, s, srv, method, params); code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), method) {
				t.Errorf("%s %s: %v", method, params, err)
			}
		}
	}
	if err := ask(ctx, s, mcp.NewServer(mcp.Implementation{}, nil), "resources/subscribe", `{"uri":"a:b"}`); code(err) != protocol.CodeMethodNotFound {
		t.Errorf("without resources: %v", err)
	}
	broken := dispatcher(func(context.Context, *protocol.Request) (protocol.Result, error) {
		return nil, protocol.Errorf(7, "seven")
	})
	if err := ask(ctx, s, broken, "resources/subscribe", `{"uri":"a:b"}`); code(err) != 7 {
		t.Errorf("what cannot be discovered: %v", err)
	}
	for i := range 1024 {
		if err := ask(ctx, s, srv, "resources/subscribe", fmt.Sprintf(`{"uri":"a:%d"}`, i)); err != nil {
			t.Fatalf("subscription %d: %v", i, err)
		}
	}
	if err := ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:0"}`); err != nil {
		t.Errorf("one that is there already: %v", err)
	}
	if err := ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:more"}`); code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "1024") {
		t.Errorf("one too many: %v", err)
	}
	if err := ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:`+strings.Repeat("x", 8191)+`"}`); code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "8193 bytes") {
		t.Errorf("a long one: %v", err)
	}
	if err := ask(ctx, s, srv, "resources/unsubscribe", `{"uri":"a:0"}`); err != nil {
		t.Error(err)
	}
	if err := ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:more"}`); err != nil {
		t.Errorf("after one has gone: %v", err)
	}
}

// TestFollow_ChangeDuringResubscription checks that changes during a resubscription reach even a slow client.
func TestFollow_ChangeDuringResubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, s, c := library(t), open(t, protocol.Rev20251125), new(client)
		ctx, cancel := context.WithCancel(t.Context())
		slow := make(chan struct{})
		var ended, subscribed sync.WaitGroup
		ended.Go(func() {
			s.Follow(ctx, srv, protocol.Peer{}, func(method string, params []byte) error {
				<-slow
				return c.send(method, params)
			})()
		})
		synctest.Wait()
		if err := ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:b"}`); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			srv.ResourceUpdated(fmt.Sprint("a:b/", i))
			synctest.Wait() // the first is on its way, the others wait for it
		}
		subscribed.Go(func() {
			if err := ask(ctx, s, srv, "resources/subscribe", `{"uri":"c:d"}`); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		close(slow)
		subscribed.Wait()
		srv.ResourceUpdated("c:d")
		got := c.take()
		if want := []string{`resources/updated {"uri":"a:b/0"}`, `resources/updated {"uri":"a:b/1"}`, `resources/updated {"uri":"a:b/2"}`, `resources/updated {"uri":"c:d"}`}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		cancel()
		ended.Wait()
	})
}

// A subscription holds when it is answered, however late its follower begins.
func TestFollow_SubscriptionWaitsForFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, s, c := library(t), open(t, protocol.Rev20251125), new(client)
		ctx, cancel := context.WithCancel(t.Context())
		run := s.Follow(ctx, srv, protocol.Peer{}, c.send)
		answered := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			defer close(answered)
			if err := ask(ctx, s, srv, "resources/subscribe", `{"uri":"a:b"}`); err != nil {
				t.Error(err)
			}
			srv.ResourceUpdated("a:b")
		})
		synctest.Wait()
		select {
		case <-answered:
			t.Error("it is answered, and nobody follows")
		default:
		}
		all.Go(run)
		<-answered
		if got, want := c.take(), []string{`resources/updated {"uri":"a:b"}`}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		cancel()
		all.Wait()
	})
}
