package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// older is a server of an older revision that is played by hand, from the
// moment on that the session is open.
func older(rev protocol.Revision, play func(w *wireServer)) protocol.Transport {
	return wireFromStart(func(w *wireServer) {
		w.answer(w.next().ID, `{"protocolVersion":"`+string(rev)+`",`+everything+`,"serverInfo":{"name":"old","version":"1"}}`)
		w.next() // notifications/initialized
		play(w)
	})
}

// Servers of 2025-03-26 may send several messages at once; no others may.
func TestClient_Batches(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Rev20241105, protocol.Rev20250326, protocol.Rev20250618} {
		mcptest.Bubble(t, func(t *testing.T) {
			var lists heard
			var answer string
			client := dial(t, older(rev, func(w *wireServer) {
				call := w.next()
				w.send(`[{"jsonrpc":"2.0","id":"s","method":"ping"},{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}]`, call.ID)
				w.lines.Scan()
				answer = w.lines.Text()
				w.answer(call.ID, `{"content":[]}`)
				w.untilClosed()
			}), &mcp.ClientOptions{Revision: rev, OnListChanged: lists.add})
			if _, err := client.CallTool(t.Context(), "t", nil, nil); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
			batches := rev == protocol.Rev20250326
			if got := lists.took(); (got == "tools") != batches {
				t.Errorf("%s: heard of %q", rev, got)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if want := `[{"jsonrpc":"2.0","id":"s","result":{}}]`; (answer == want) != batches {
				t.Errorf("%s: answered %s", rev, answer)
			}
		})
	}
}

// Servers of older revisions ask and ping on their own; later ones must not.
func TestClient_SessionQuestions(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		var answers []string
		ended := make(chan error, 1)
		finished := make(chan struct{})
		opts := &mcp.ClientOptions{
			Roots: func(context.Context) ([]mcp.Root, error) { return nil, nil },
			Elicit: func(ctx context.Context, _ mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return mcp.Answer[json.RawMessage]{}, context.Cause(ctx)
			},
		}
		ask := func(w *wireServer) {
			defer close(finished)
			time.Sleep(time.Second) // until the client is connected
			w.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			w.send(`{"jsonrpc":"2.0","id":2,"method":"roots/list"}`)
			w.send(`{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{}}`)
			for range 3 {
				w.lines.Scan()
				answers = append(answers, w.lines.Text())
			}
		}
		withdraw := func(w *wireServer) {
			w.send(`{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"message":"?"}}`)
			time.Sleep(time.Second)
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
			w.untilClosed()
		}
		opts.Revision = protocol.Rev20250618
		dial(t, older(protocol.Rev20250618, func(w *wireServer) { ask(w); withdraw(w) }), opts)
		<-finished
		for i, want := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{"roots":[]}}`, `"code":-32601`} {
			if !strings.Contains(strings.Join(answers, "\n"), want) {
				t.Errorf("question %d was answered in %s", i, answers)
			}
		}
		if err := <-ended; err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a question that was withdrawn ended with %v", err)
		}

		answers, finished, opts.Revision = nil, make(chan struct{}), ""
		dial(t, wire(func(w *wireServer) { ask(w); w.untilClosed() }), opts)
		<-finished
		if all := strings.Join(answers, "\n"); strings.Count(all, `"code":-32601`) != 3 {
			t.Errorf("since 2026-07-28 it is answered %s", all)
		}
	})
}
