package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dougu-go/dougu/internal/rpc"
)

// A peer of another make: calls in both directions, many at once.
func TestConn_OtherImplementation(t *testing.T) {
	near, far := net.Pipe()
	h := newHandler()
	h.conn = rpc.NewConn(rpc.NewLines(far, far, far.Close, 0), h, rpc.Options{})
	end := make(chan error, 1)
	go func() { end <- h.conn.Run(t.Context()) }()

	answerQuestions := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
		if req.Method != "question" {
			return nil, fmt.Errorf("unexpected %s", req.Method)
		}
		return map[string]string{"answer": string(*req.Params)}, nil
	})
	foreign := jsonrpc2.NewConn(t.Context(), jsonrpc2.NewPlainObjectStream(near), jsonrpc2.AsyncHandler(answerQuestions))

	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() {
			var got map[string]int
			if err := foreign.Call(t.Context(), "echo", map[string]int{"n": i}, &got); err != nil || got["n"] != i {
				t.Errorf("echo %d: %v, %v", i, got, err)
			}
			var answer map[string]string
			if err := foreign.Call(t.Context(), "ask", nil, &answer); err != nil || answer["answer"] != `{"q":1}` {
				t.Errorf("ask: %v, %v", answer, err)
			}
		})
	}
	calls.Wait()
	var e *jsonrpc2.Error
	if err := foreign.Call(t.Context(), "nope", nil, new(json.RawMessage)); !asError(err, &e) || e.Code != rpc.CodeMethodNotFound {
		t.Errorf("an unknown method: %v", err)
	}
	if err := foreign.Notify(t.Context(), "noted", map[string]bool{"x": true}); err != nil {
		t.Error(err)
	}
	if err := foreign.Close(); err != nil {
		t.Error(err)
	}
	if err := <-end; err != nil {
		t.Errorf("Run: %v", err)
	}
	if len(h.notified) != 1 || h.notified[0] != `noted{"x":true}` {
		t.Errorf("notified of %q", h.notified)
	}
}

func asError(err error, target **jsonrpc2.Error) bool {
	e, ok := err.(*jsonrpc2.Error)
	*target = e
	return ok
}
