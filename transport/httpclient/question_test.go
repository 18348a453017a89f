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
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// question is a request of a server's.
func question(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// The client answers a question on the stream of a call with a POST, and the
// call continues (2025-11-25, basic/transports).
func TestQuestion_Answers(t *testing.T) {
	for name, tc := range map[string]struct {
		answer func(context.Context, protocol.InputRequest) (json.RawMessage, error)
		want   string
	}{
		"with a result": {func(_ context.Context, q protocol.InputRequest) (json.RawMessage, error) {
			return json.RawMessage(fmt.Sprintf(`{"method":%q,"params":%s}`, q.Method, q.Params)), nil
		}, `{"jsonrpc":"2.0","id":"q","result":{"method":"elicitation/create","params":{"message":"Who?"}}}`},
		"with an error": {func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
			return nil, protocol.Errorf(-1, "User rejected")
		}, `{"jsonrpc":"2.0","id":"q","error":{"code":-1,"message":"User rejected"}}`},
		"with a failure": {func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
			return nil, errors.New("no screen")
		}, `{"jsonrpc":"2.0","id":"q","error":{"code":-32603,"message":"Internal error: no screen"}}`},
		"with a panic": {func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
			panic("oh")
		}, `{"jsonrpc":"2.0","id":"q","error":{"code":-32603,"message":"Internal error: elicitation/create could not be answered"}}`},
		"with nobody to ask": {nil, `{"jsonrpc":"2.0","id":"q","error":{"code":-32601,"message":"Method not found: the client does not offer elicitation/create"}}`},
	} {
		bubble(t, name, func(t *testing.T) {
			answers := make(chan string, 1)
			f := session(protocol.Rev20250618, handlers{
				"tools/call": func(w *reply, _ *request) {
					w.message(question(`"q"`, "elicitation/create", `{"message":"Who?"}`))
					w.message(w.response(`"result":` + <-answers))
				},
				"answer": func(w *reply, r *request) {
					w.WriteHeader(202)
					answers <- r.Body
				},
			})
			h := newHost("")
			h.Answer = tc.answer
			conn := connect(t, serve(t, f), &h.Host)
			if got, err := call(t.Context(), conn, "tools/call", `{"name":"x"}`); got != tc.want || err != nil {
				t.Errorf("the server got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
}

// A question that the server takes back, or whose call is over, is not answered.
func TestQuestion_Cancelled(t *testing.T) {
	for name, tc := range map[string]struct {
		then func(w *reply, r *request, cancel func())
		ok   bool
	}{
		"taken back": {func(w *reply, r *request, _ func()) {
			w.message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`)
			w.message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}`)
			w.message(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
			time.Sleep(time.Second)
			w.message(w.response(`"result":` + done))
		}, true},
		"of a call that is answered": {func(w *reply, r *request, _ func()) { w.message(w.response(`"result":` + done)) }, true},
		"of a call that is given up": {func(w *reply, r *request, cancel func()) { cancel(); <-r.gone }, false},
		"whose id is used once more": {func(w *reply, r *request, _ func()) {
			w.message(question(`"q"`, "roots/list", `{}`))
			w.message(w.response(`"result":` + done))
		}, true},
	} {
		bubble(t, name, func(t *testing.T) {
			asked := 0
			f := session(protocol.Rev20250618, nil)
			ctx, cancel := context.WithCancel(t.Context())
			f.on["tools/call"] = func(w *reply, r *request) {
				w.message(question(`"q"`, "elicitation/create", `{}`))
				time.Sleep(time.Second)
				tc.then(w, r, cancel)
			}
			h := newHost("")
			ended := make(chan error, 1)
			h.Answer = func(ctx context.Context, _ protocol.InputRequest) (json.RawMessage, error) {
				asked++
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return json.RawMessage(`{}`), nil
			}
			conn := connect(t, serve(t, f), &h.Host)
			if got, err := call(ctx, conn, "tools/call", `{"name":"x"}`); tc.ok != (err == nil && got == done) {
				t.Errorf("got %s, %v", got, err)
			}
			if err := <-ended; err == nil {
				t.Error("the question was not dropped")
			}
			synctest.Wait()
			if n := len(f.requests("answer")); n != 0 || asked != 1 {
				t.Errorf("%d questions were asked, %d answered", asked, n)
			}
			cancel()
		})
	}
}

// A server may ask much at once; pings are answered before everything else.
func TestQuestion_Limits(t *testing.T) {
	bubble(t, "many", func(t *testing.T) {
		const many = 40
		var running, most int
		release := make(chan struct{})
		f := session(protocol.Rev20250618, handlers{"GET": func(w *reply, r *request) {
			for i := range many {
				w.message(question(fmt.Sprint(i), "roots/list", `{}`))
				if i < 9 {
					w.message(question(fmt.Sprint(1000+i), "ping", `{}`))
				}
			}
			<-r.gone
		}})
		client := serve(t, f)
		client.Options.Concurrency, client.Options.QueueLength = 2, 10
		h := newHost("")
		h.Answer = func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
			h.mu.Lock()
			running++
			most = max(most, running)
			h.mu.Unlock()
			<-release
			h.mu.Lock()
			running--
			h.mu.Unlock()
			return json.RawMessage(`{}`), nil
		}
		connect(t, client, &h.Host)
		synctest.Wait()
		var pings []string
		for _, r := range f.requests("answer") {
			pings = append(pings, string(r.ID))
		}
		slices.Sort(pings)
		if got := strings.Join(pings, " "); got != "1000 1001 1002 1003 1004 1005 1006 1007 1008" {
			t.Errorf("answered %s", got)
		}
		close(release)
		synctest.Wait()
		if n := len(f.requests("answer")); n != many+9 || most != 2 {
			t.Errorf("%d answers, %d questions at once", n, most)
		}
	})
	bubble(t, "an answer that cannot be sent", func(t *testing.T) {
		f := session(protocol.Rev20250618, handlers{
			"GET":    func(w *reply, r *request) { w.message(question("1", "ping", `{}`)); <-r.gone },
			"answer": text(500, "no"),
			"x":      func(w *reply, _ *request) { w.result(done) },
		})
		conn := connect(t, serve(t, f), &newHost("").Host)
		synctest.Wait()
		if got, err := call(t.Context(), conn, "x", ""); got != done || err != nil || len(f.requests("answer")) != 1 {
			t.Errorf("got %s, %v: %s", got, err, f.log())
		}
	})
}
