package peer_test

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

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// session is the server's side of a session; it records the subscriptions.
type session struct {
	mu    sync.Mutex
	calls []string
	fail  func(ctx context.Context, call string) error
}

func (s *session) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	call := strings.TrimPrefix(method, "resources/") + " " + string(params)
	s.mu.Lock()
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	if s.fail != nil {
		return []byte(`{}`), s.fail(ctx, call)
	}
	return []byte(`{}`), nil
}

// took returns the calls since the last time.
func (s *session) took() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return strings.Join(calls, ",")
}

var everything = protocol.ServerCapabilities{
	Tools: &protocol.ListCapability{ListChanged: true}, Prompts: &protocol.ListCapability{ListChanged: true},
	Resources: &protocol.ResourcesCapability{Subscribe: true, ListChanged: true},
}

// subscription is one that a test has opened.
type subscription struct {
	notes []protocol.Notification
	end   context.CancelFunc
	err   error
	done  bool
}

// subscribe opens a subscription in a bubble and waits until all is at rest.
func subscribe(ctx context.Context, r *peer.Router, s *session, caps protocol.ServerCapabilities, id, filter string) *subscription {
	sub := new(subscription)
	ctx, sub.end = context.WithCancel(ctx)
	go func() {
		_, sub.err = r.Listen(ctx, &protocol.Request{
			ID: protocol.ID(id), Params: json.RawMessage(`{"notifications":` + filter + `}`),
			Notify: func(_ context.Context, n protocol.Notification) error {
				sub.notes = append(sub.notes, n)
				if raw, ok := n.(*protocol.ListChangedNotification); ok && raw.List == "resources" {
					return errors.New("enough")
				}
				return nil
			},
		}, caps, s.call)
		sub.done = true
	}()
	synctest.Wait()
	return sub
}

// took returns the notifications of a subscription since the previous call.
func (s *subscription) took() string {
	notes := s.notes
	s.notes = nil
	return names(notes)
}

const uriA, uriB = `subscribe {"uri":"a:a"}`, `subscribe {"uri":"a:b"}`

// In a session there is no subscriptions/listen: resources are subscribed to one
// by one, and lists change by themselves.
func TestListen_Sessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r peer.Router
		var s session
		const ack = "notifications/subscriptions/acknowledged"
		first := subscribe(t.Context(), &r, &s, everything, "1", `{"toolsListChanged":true,"resourceSubscriptions":["a:a","a:b"]}`)
		if calls, told := s.took(), first.took(); calls != uriA+","+uriB || told != ack {
			t.Errorf("subscribed with %s and was told %s", calls, told)
		}
		second := subscribe(t.Context(), &r, &s, everything, "2", `{"promptsListChanged":true,"resourceSubscriptions":["a:b"]}`)
		if calls := s.took(); calls != "" || second.took() != ack {
			t.Errorf("what is subscribed to already was asked for with %s", calls)
		}
		for _, n := range [][2]string{
			{"notifications/tools/list_changed", `{}`}, {"notifications/prompts/list_changed", `{}`}, {"notifications/resources/list_changed", `{}`},
			{"notifications/resources/updated", `{"uri":"a:a"}`}, {"notifications/resources/updated", `{"uri":"a:b/part"}`},
			{"notifications/resources/updated", `{"uri":"a:bc"}`}, {"notifications/message", `{"level":"info","data":1}`},
		} {
			r.Received(n[0], []byte(n[1]))
		}
		synctest.Wait()
		if n, ok := first.notes[2].(*protocol.ResourceUpdatedNotification); !ok || n.Subscription != "1" {
			t.Errorf("the notification is %+v, not one of its subscription", first.notes[2])
		}
		if one, two := first.took(), second.took(); one != "tools,a:a,a:b/part" || two != "prompts,a:b/part" {
			t.Errorf("told %s and %s", one, two)
		}
		first.end()
		synctest.Wait()
		if calls := s.took(); calls != `unsubscribe {"uri":"a:a"}` || !first.done || !errors.Is(first.err, context.Canceled) {
			t.Errorf("ended with %v and %s", first.err, calls)
		}
		second.end()
		synctest.Wait()
		if calls := s.took(); calls != `unsubscribe {"uri":"a:b"}` {
			t.Errorf("ended the last with %s", calls)
		}
	})
}

func TestListen_ServerCapabilities(t *testing.T) {
	const all = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:a"]}`
	for want, caps := range map[string]protocol.ServerCapabilities{
		`{}`:                        {Tools: &protocol.ListCapability{}, Resources: &protocol.ResourcesCapability{}},
		`{"toolsListChanged":true}`: {Tools: &protocol.ListCapability{ListChanged: true}, Prompts: &protocol.ListCapability{}},
		`{"resourcesListChanged":true,"resourceSubscriptions":["a:a"]}`: {Resources: &protocol.ResourcesCapability{Subscribe: true, ListChanged: true}},
		all: everything,
	} {
		synctest.Test(t, func(t *testing.T) {
			var r peer.Router
			sub := subscribe(t.Context(), &r, new(session), caps, "1", all)
			defer sub.end()
			got, err := json.Marshal(sub.notes[0].(*protocol.AcknowledgedNotification).Filter)
			if err != nil || string(got) != want {
				t.Errorf("honoured %s, %v, want %s", got, err, want)
			}
		})
	}
}

// A refused resource ends the subscription and its other resources.
func TestListen_RefusedSubscription(t *testing.T) {
	refused := protocol.Errorf(protocol.CodeInvalidParams, "no")
	for name, tc := range map[string]struct {
		fail func(context.Context, string) error
		want string
	}{
		"refused": {func(_ context.Context, call string) error {
			if call == uriB {
				return refused
			}
			return nil
		}, uriA + "," + uriB + `,unsubscribe {"uri":"a:a"}`},
		"no answer": {func(ctx context.Context, call string) error {
			if call == uriB {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return nil
		}, uriA + "," + uriB + `,unsubscribe {"uri":"a:a"},unsubscribe {"uri":"a:b"}`},
		"no answer to anything": {func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}, uriA + `,unsubscribe {"uri":"a:a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r peer.Router
				s := &session{fail: tc.fail}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				sub := subscribe(ctx, &r, s, everything, "1", `{"resourceSubscriptions":["a:a","a:b","a:c"]}`)
				time.Sleep(time.Minute)
				synctest.Wait()
				if calls := s.took(); calls != tc.want || !sub.done || sub.err == nil || len(sub.notes) > 0 {
					t.Errorf("ended with %v after %s\nwant %s", sub.err, calls, tc.want)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		var r peer.Router
		sub := subscribe(t.Context(), &r, new(session), everything, "1", `{"resourcesListChanged":true}`)
		r.Received("notifications/resources/list_changed", nil)
		synctest.Wait()
		if !sub.done || sub.err == nil || sub.err.Error() != "enough" {
			t.Errorf("a receiver that fails ends it with %v", sub.err)
		}
	})
	var r peer.Router
	for _, req := range []*protocol.Request{{}, {Params: json.RawMessage(`{"notifications":1}`)}, {Params: json.RawMessage(`{}`)}} {
		var e *protocol.Error
		if _, err := r.Listen(t.Context(), req, everything, new(session).call); !errors.As(err, &e) || e.Code != protocol.CodeInvalidParams {
			t.Errorf("params %s: %v", req.Params, err)
		}
	}
}

// TestListen_ConnectionEnds checks that listeners end with the connection, after the earlier notifications.
func TestListen_ConnectionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r peer.Router
		s := &session{fail: func(_ context.Context, call string) error {
			if strings.HasPrefix(call, "unsubscribe") {
				return rpc.ErrClosed
			}
			return nil
		}}
		done := make(chan struct{})
		go r.Deliver(new(protocol.Host), done)
		sub := subscribe(t.Context(), &r, s, everything, "1", `{"toolsListChanged":true,"resourceSubscriptions":["a:a"]}`)
		r.Received("notifications/tools/list_changed", nil)
		close(done)
		synctest.Wait()
		if !sub.done || !errors.Is(sub.err, rpc.ErrClosed) || sub.took() != "notifications/subscriptions/acknowledged,tools" {
			t.Errorf("ended with %v", sub.err)
		}
		late := subscribe(t.Context(), &r, s, everything, "2", `{"resourceSubscriptions":["a:a"]}`)
		if !late.done || !errors.Is(late.err, rpc.ErrClosed) {
			t.Errorf("a subscription on a closed connection ends with %v", late.err)
		}
	})
}

// At rest, the server has exactly the subscriptions of the open listeners.
func TestListen_SharedSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r peer.Router
		server := make(map[string]bool)
		s := &session{fail: func(_ context.Context, call string) error {
			time.Sleep(time.Millisecond)
			verb, params, _ := strings.Cut(call, " ")
			server[params] = verb == "subscribe" // calls come one at a time
			return nil
		}}
		var open []*subscription
		var uris [][]string
		for i := range 60 {
			own := []string{fmt.Sprintf("a:%d", i%4), fmt.Sprintf("a:%d", i%7)}
			filter, err := json.Marshal(protocol.SubscriptionFilter{ResourceSubscriptions: own})
			if err != nil {
				t.Fatal(err)
			}
			open, uris = append(open, subscribe(t.Context(), &r, s, everything, "1", string(filter))), append(uris, own)
			if i%3 != 0 {
				at := i * 7 % len(open)
				open[at].end()
				open, uris = slices.Delete(open, at, at+1), slices.Delete(uris, at, at+1)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for params, subscribed := range server {
			var p struct{ URI string }
			if err := json.Unmarshal([]byte(params), &p); err != nil {
				t.Fatal(err)
			}
			wanted := slices.ContainsFunc(uris, func(own []string) bool { return slices.Contains(own, p.URI) })
			if subscribed != wanted {
				t.Errorf("%s: subscribed %v, wanted %v", p.URI, subscribed, wanted)
			}
		}
		for _, sub := range open {
			sub.end()
		}
		time.Sleep(time.Minute)
	})
}
