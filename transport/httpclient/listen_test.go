package httpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// subscribe opens a subscription and returns what it received when it has ended.
func subscribe(ctx context.Context, conn protocol.Conn, filter string, heard func(string)) (notes []string, result string, err error) {
	result, err = dispatch(ctx, conn, &protocol.Request{Method: "subscriptions/listen", Params: json.RawMessage(`{"notifications":` + filter + `}`), Notify: func(_ context.Context, n protocol.Notification) error {
		note := strings.TrimPrefix(n.Method(), "notifications/")
		notes = append(notes, note)
		if heard != nil {
			heard(note)
		}
		return nil
	}})
	return notes, result, err
}

// The cases are the notifications of a subscription, and the three ways in which
// a server may end it (2026-07-28, basic/patterns/subscriptions and
// basic/patterns/cancellation).
func TestClient_Subscription(t *testing.T) {
	notify := func(w *reply, method, id, more string) {
		w.message(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}%s}}`, method, id, more))
	}
	ack := func(w *reply, r *request) {
		notify(w, "subscriptions/acknowledged", string(r.ID), `,"notifications":{"toolsListChanged":true}`)
	}
	for name, tc := range map[string]struct {
		serve func(*reply, *request)
		want  []string
		err   error // nil for a regular end
	}{
		"until the result": {func(w *reply, r *request) {
			ack(w, r)
			notify(w, "tools/list_changed", string(r.ID), "")
			notify(w, "tools/list_changed", "99", "")                                  // another's
			w.message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`) // whose else could it be
			w.message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
			w.message(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
			notify(w, "resources/updated", string(r.ID), `,"uri":"a:b"`)
			w.event(": still here")
			w.message(w.response(fmt.Sprintf(`"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, r.ID)))
		}, []string{"subscriptions/acknowledged", "tools/list_changed", "tools/list_changed", "resources/updated"}, nil},
		"until it is cancelled": {func(w *reply, r *request) {
			ack(w, r)
			w.message(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, r.ID))
			<-r.gone
		}, []string{"subscriptions/acknowledged"}, nil},
		"until it breaks":         {ack, []string{"subscriptions/acknowledged"}, httpclient.ErrRequestLost},
		"not at all":              {fails(404, `{"code":-32601,"message":"no"}`), nil, protocol.Errorf(0, "")},
		"with a result of itself": {func(w *reply, _ *request) { w.result(done) }, nil, nil},
	} {
		bubble(t, name, func(t *testing.T) {
			h := newHost("")
			conn := connect(t, serve(t, modern(handlers{"subscriptions/listen": tc.serve})), &h.Host)
			notes, result, err := subscribe(t.Context(), conn, `{"toolsListChanged":true}`, nil)
			var refused *protocol.Error
			switch {
			case tc.err == nil && (err != nil || !strings.Contains(result, `"complete"`)):
				t.Errorf("ended with %s, %v", result, err)
			case tc.err == httpclient.ErrRequestLost && !errors.Is(err, tc.err):
				t.Errorf("ended with %v", err)
			case errors.As(tc.err, &refused) && !errors.As(err, &refused):
				t.Errorf("ended with %v", err)
			}
			if coalesced := slices.Compact(notes); testdiff.Diff(slices.Compact(tc.want), coalesced) != "" {
				t.Errorf("received %v, want %v", notes, tc.want)
			}
			synctest.Wait()
			if slices.Contains(tc.want, "resources/updated") != (h.notified() == "notifications/message") {
				t.Errorf("the host got %q", h.notified())
			}
		})
	}
	bubble(t, "until the caller has enough", func(t *testing.T) {
		gone := make(chan struct{})
		conn := connect(t, serve(t, modern(handlers{"subscriptions/listen": func(w *reply, r *request) {
			ack(w, r)
			<-r.gone
			close(gone)
		}})), &newHost("").Host)
		ctx, cancel := context.WithCancel(t.Context())
		if notes, _, err := subscribe(ctx, conn, `{}`, func(string) { cancel() }); !errors.Is(err, context.Canceled) || len(notes) != 1 {
			t.Errorf("received %v, %v", notes, err)
		}
		<-gone
	})
}

// With a legacy server, a subscription consists of the subscriptions of its
// session.
func TestClient_SubscriptionInSession(t *testing.T) {
	bubble(t, "resources and lists", func(t *testing.T) {
		changed := make(chan struct{})
		f := session(protocol.Rev20250618, handlers{
			"resources/subscribe":   func(w *reply, _ *request) { w.result(`{}`) },
			"resources/unsubscribe": func(w *reply, _ *request) { w.result(`{}`) },
			"GET": func(w *reply, r *request) {
				w.event(": hello")
				<-changed
				w.message(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b/c"}}`)
				w.message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				w.message(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
				<-r.gone
			},
		})
		h := newHost("")
		conn := connect(t, serve(t, f), &h.Host)
		ctx, cancel := context.WithCancel(t.Context())
		notes, _, err := subscribe(ctx, conn, `{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:b"]}`, func(note string) {
			switch note {
			case "subscriptions/acknowledged":
				close(changed)
			case "tools/list_changed":
				cancel()
			}
		})
		if diff := testdiff.Diff([]string{"subscriptions/acknowledged", "resources/updated", "tools/list_changed"}, notes); diff != "" || !errors.Is(err, context.Canceled) {
			t.Errorf("received %v, %v", notes, err)
		}
		synctest.Wait()
		if n := len(f.requests("resources/unsubscribe")); n != 1 {
			t.Errorf("unsubscribed %d times", n)
		}
		if h.notified() != "notifications/resources/updated notifications/tools/list_changed notifications/prompts/list_changed" {
			t.Errorf("the host got %s", h.notified())
		}
	})
}
