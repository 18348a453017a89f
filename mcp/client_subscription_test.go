package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// heard notes what a function was told.
type heard struct {
	mu    sync.Mutex
	notes []string
}

func (h *heard) note(n protocol.Notification) {
	switch n := n.(type) {
	case *protocol.ListChangedNotification:
		h.add(n.List)
	case *protocol.ResourceUpdatedNotification:
		h.add(n.URI)
	default:
		h.add(n.Method())
	}
}

func (h *heard) add(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = append(h.notes, text)
}

// took is what was told since the last time.
func (h *heard) took() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	notes := h.notes
	h.notes = nil
	return strings.Join(notes, " ")
}

// speaker is a server whose subscriptions a test makes speak. It honours all.
type speaker struct {
	mu   sync.Mutex
	open []*listening
}

// listening is an open subscription.
type listening struct {
	*protocol.Request
	filter protocol.SubscriptionFilter
}

func (s *speaker) listen(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	var params struct{ Notifications protocol.SubscriptionFilter }
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return nil, err
	}
	s.mu.Lock()
	l := &listening{req, params.Notifications}
	s.open = append(s.open, l)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open = slices.DeleteFunc(s.open, func(other *listening) bool { return other == l })
	}()
	if err := req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID, Filter: params.Notifications}); err != nil {
		return nil, err
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (s *speaker) say(ctx context.Context, make func(id protocol.ID) protocol.Notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.open {
		n := make(l.ID)
		if u, ok := n.(*protocol.ResourceUpdatedNotification); !ok || slices.ContainsFunc(l.filter.ResourceSubscriptions, func(uri string) bool { return strings.HasPrefix(u.URI, uri) }) {
			_ = l.Notify(ctx, n)
		}
	}
}

func (s *speaker) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

func listChanged(list string) func(protocol.ID) protocol.Notification {
	return func(id protocol.ID) protocol.Notification {
		return &protocol.ListChangedNotification{List: list, Subscription: id}
	}
}

func updated(uri string) func(protocol.ID) protocol.Notification {
	return func(id protocol.ID) protocol.Notification {
		return &protocol.ResourceUpdatedNotification{URI: uri, Subscription: id}
	}
}

// Subscriptions are the same whatever the revision.
func TestSubscribe(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		ctx := t.Context()
		var srv speaker
		var own, updates heard
		client := mcptest.Connect(t, fake{"subscriptions/listen": srv.listen}, &mcp.ClientOptions{Revision: rev, OnResourceUpdated: updates.add})
		filter := protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"file:///a"}}
		sub, err := client.Subscribe(ctx, filter, own.note)
		if err != nil {
			t.Fatal(err)
		}
		filter.ResourceSubscriptions[0] = "changed"
		if got := sub.Filter(); !got.ToolsListChanged || got.PromptsListChanged || !slices.Equal(got.ResourceSubscriptions, []string{"file:///a"}) {
			t.Errorf("honoured %+v", got)
		}
		sub.Filter().ResourceSubscriptions[0] = "changed"
		if got := sub.Filter().ResourceSubscriptions; got[0] != "file:///a" {
			t.Errorf("the filter is now %v", got)
		}
		synctest.Wait()
		srv.say(ctx, listChanged("tools"))
		srv.say(ctx, updated("file:///a"))
		srv.say(ctx, updated("file:///a/part"))
		synctest.Wait()
		if got := own.took(); got != "tools file:///a file:///a/part" {
			t.Errorf("the subscription was told %s", got)
		}
		if got := updates.took(); got != "file:///a file:///a/part" {
			t.Errorf("the client was told of %s", got)
		}
		if sub.Err() != nil {
			t.Errorf("while it is open: %v", sub.Err())
		}
		if err := sub.Close(); err != nil || sub.Err() != nil {
			t.Errorf("closing: %v, %v", err, sub.Err())
		}
		<-sub.Done()
		if err := sub.Close(); err != nil {
			t.Errorf("closing again: %v", err)
		}
		time.Sleep(time.Second)
		if n := srv.count(); rev.Modern() && n != 0 {
			t.Errorf("%d subscriptions are left open", n)
		}
		srv.say(ctx, updated("file:///a"))
		synctest.Wait()
		if got := own.took() + updates.took(); got != "" {
			t.Errorf("after the end it was told %s", got)
		}
	})
}

// However a server ends a subscription, the client knows.
func TestSubscribe_ServerEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(w *wireServer, id json.RawMessage)
		want error // nil: any other
	}{
		"with a result": {func(w *wireServer, id json.RawMessage) {
			w.answer(id, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":`+string(id)+`}}`)
			w.untilClosed()
		}, mcp.ErrSubscriptionEnded},
		"by cancelling it": {func(w *wireServer, id json.RawMessage) {
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"shutting down"}}`, id)
			if m := w.next(); m.Method != "" {
				t.Errorf("the client answered with %s", m.Method)
			}
		}, mcp.ErrSubscriptionEnded},
		"with both": {func(w *wireServer, id json.RawMessage) {
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id)
			w.answer(id, `{"resultType":"complete"}`)
			w.untilClosed()
		}, mcp.ErrSubscriptionEnded},
		"with an error": {func(w *wireServer, id json.RawMessage) {
			w.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no more"}}`, id)
			w.untilClosed()
		}, nil},
		"by going away": {func(*wireServer, json.RawMessage) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				var own heard
				client := dial(t, wire(func(w *wireServer) {
					id := w.next().ID
					w.acknowledge(id, `{"toolsListChanged":true}`)
					w.acknowledge(id, `{}`)
					w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
					w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`)
					w.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, id)
					w.notify("of/an/extension", id, "")
					w.notify("tools/list_changed", id, "")
					tc.end(w, id)
				}), nil)
				sub, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}, own.note)
				if err != nil {
					t.Fatal(err)
				}
				<-sub.Done()
				if err := sub.Err(); err == nil || tc.want != nil && !errors.Is(err, tc.want) || tc.want == nil && errors.Is(err, mcp.ErrSubscriptionEnded) {
					t.Errorf("it ended with %v, want %v", err, tc.want)
				}
				if got := own.took(); got != "notifications/of/an/extension tools" {
					t.Errorf("before the end it was told %s", got)
				}
				if err := sub.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A subscription in a session ends with its connection too.
func TestSubscribe_SessionConnectionEnds(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		server := wireFromStart(func(w *wireServer) {
			w.answer(w.next().ID, `{"protocolVersion":"2025-06-18",`+everything+`,"serverInfo":{"name":"old","version":"1"}}`)
			w.next() // notifications/initialized
			w.answer(w.next().ID, `{}`)
		})
		client := dial(t, server, &mcp.ClientOptions{Revision: protocol.Rev20250618})
		sub, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:b"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		<-sub.Done()
		if sub.Err() == nil {
			t.Error("it says nothing of it")
		}
	})
}

func TestSubscribe_Refused(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		refused := func(context.Context, *protocol.Request) (protocol.Result, error) {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "not you")
		}
		client := mcptest.Connect(t, fake{"subscriptions/listen": refused}, &mcp.ClientOptions{Revision: rev})
		filter := protocol.SubscriptionFilter{ToolsListChanged: true}
		if rev.Modern() {
			var e *protocol.Error
			if _, err := client.Subscribe(t.Context(), filter, nil); !errors.As(err, &e) || e.Message != "not you" {
				t.Errorf("refused with %v", err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := client.Subscribe(ctx, filter, nil); err == nil {
			t.Error("nobody waits, and it was opened")
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if _, err := client.Subscribe(t.Context(), filter, nil); !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("a closed client: %v", err)
		}
	})
}

// A server that acknowledges what it ends at once, and one that ends it without.
func TestSubscribe_EndsAtOnce(t *testing.T) {
	for acknowledged, want := range map[bool]error{true: nil, false: mcp.ErrSubscriptionEnded} {
		mcptest.Bubble(t, func(t *testing.T) {
			client := mcptest.Connect(t, fake{"subscriptions/listen": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
				if acknowledged {
					_ = req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID})
				}
				return &protocol.ListenResult{Subscription: req.ID}, nil
			}}, nil)
			sub, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}, nil)
			if !errors.Is(err, want) {
				t.Fatalf("acknowledged %v: %v", acknowledged, err)
			}
			if sub != nil {
				<-sub.Done()
				if !errors.Is(sub.Err(), mcp.ErrSubscriptionEnded) {
					t.Error(sub.Err())
				}
			}
		})
	}
}

// The functions of users may panic, block, or close what calls them.
func TestSubscribe_MisbehavingFunctions(t *testing.T) {
	for name, misbehave := range map[string]func(sub *mcp.Subscription, client *mcp.Client, end <-chan struct{}) error{
		"panics":            func(*mcp.Subscription, *mcp.Client, <-chan struct{}) error { panic("in a test") },
		"blocks":            func(_ *mcp.Subscription, _ *mcp.Client, end <-chan struct{}) error { <-end; return nil },
		"closes itself":     func(sub *mcp.Subscription, _ *mcp.Client, _ <-chan struct{}) error { return sub.Close() },
		"closes the client": func(_ *mcp.Subscription, client *mcp.Client, _ <-chan struct{}) error { return client.Close() },
		"closes all of it": func(sub *mcp.Subscription, client *mcp.Client, _ <-chan struct{}) error {
			return errors.Join(client.Close(), sub.Close())
		},
		"asks for another one": func(_ *mcp.Subscription, client *mcp.Client, _ <-chan struct{}) error {
			other, err := client.Subscribe(context.Background(), protocol.SubscriptionFilter{ToolsListChanged: true}, nil)
			if err != nil {
				return err
			}
			return other.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
				var srv speaker
				client, err := mcp.Connect(t.Context(), inMemory(fake{"subscriptions/listen": srv.listen}), mcp.Implementation{Name: "test"}, &mcp.ClientOptions{Revision: rev, Log: quiet})
				if err != nil {
					t.Fatal(err)
				}
				end := make(chan struct{})
				opened := make(chan *mcp.Subscription, 1)
				said := make(chan error, 10)
				sub, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true}, func(n protocol.Notification) {
					if n.Method() == "notifications/tools/list_changed" {
						sub := <-opened
						opened <- sub
						said <- misbehave(sub, client, end)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				opened <- sub
				synctest.Wait()
				srv.say(t.Context(), listChanged("tools"))
				time.Sleep(10 * time.Second) // who closes what waits for himself gives up by then
				began := time.Now()
				if err := client.Close(); (err != nil) != (name == "blocks") || time.Since(began) > time.Minute {
					t.Errorf("after %v closing says %v", time.Since(began), err)
				}
				close(end)
				<-sub.Done()
				time.Sleep(time.Minute)
				if name == "asks for another one" {
					if err := <-said; err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}
