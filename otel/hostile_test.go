package otel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
)

func TestMetrics_UnknownNamesShareSeries(t *testing.T) {
	w := observe(t, otel.Options{})
	handler := w.Server(func(context.Context, *protocol.Request) (protocol.Result, error) { return protocol.EmptyResult{}, nil })
	for n := range 3_000 {
		_, _ = handler(t.Context(), call(fmt.Sprint("tool", n), ""))
		_, _ = handler(t.Context(), request(fmt.Sprint("method/", n), "", ""))
	}
	points := w.points(t, "mcp.server.operation.duration")
	if len(points) > 1_001 {
		t.Errorf("%d sets of attributes", len(points))
	}
	var others int
	for _, p := range points {
		if strings.Contains(p, "_OTHER") {
			others++
		}
	}
	if others != 1 {
		t.Errorf("%d sets are for all others", others)
	}
}

// sent is a connection that records the requests on it.
type sent struct {
	protocol.Conn
	req protocol.Request
}

func (s *sent) Connect(context.Context, *protocol.Host) (protocol.Conn, error) { return s, nil }
func (s *sent) Revision() protocol.Revision                                    { return protocol.Latest }
func (s *sent) Done() <-chan struct{}                                          { return nil }
func (s *sent) Close() error                                                   { return nil }
func (s *sent) Dispatch(_ context.Context, req *protocol.Request) (protocol.Result, error) {
	s.req = *req
	return protocol.RawResult(`{"isError":true,"resultType":7,"_meta":{"io.github.dougu-go/error":{"code":7}}}`), nil
}

// Whatever the _meta of a request is, it is either passed on as it is, or with one
// trace in place of all that it had, and everything else as it was.
func FuzzMetaOfARequest(f *testing.F) {
	for _, meta := range []string{
		``, `{}`, `null`, `[]`, `{"traceparent":"` + parent + `","tracestate":"a=1","baggage":"b=2","progressToken":1}`,
		`{"traceparent":"x","traceparent":"y","a":{"traceparent":1}}`, `{"trace\u0070arent":1}`, `{"a":"\ud800"}`, `{"a":1`, `{"a":1}x`, ` { } `,
		`{"traceparent":"` + parent + `","tracestate":"` + strings.Repeat("a=1,", 100) + `"}`, `{"baggage":"%zz=,,;=\u0000"}`,
	} {
		f.Add(meta)
	}
	w := observe(f, otel.Options{Arguments: true})
	serve := w.Server(func(context.Context, *protocol.Request) (protocol.Result, error) { return protocol.EmptyResult{}, nil })
	f.Fuzz(func(t *testing.T, meta string) {
		if _, err := serve(t.Context(), call("echo", meta)); err != nil {
			t.Fatal(err)
		}
		to := new(sent)
		conn, err := w.Client(to).Connect(t.Context(), new(protocol.Host))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Dispatch(t.Context(), call("echo", meta)); err != nil {
			t.Fatal(err)
		}
		var before, after map[string]json.RawMessage
		if json.Unmarshal([]byte(meta), &before) != nil || meta == "null" {
			return
		}
		if err := json.Unmarshal(to.req.Meta.Raw, &after); err != nil {
			t.Fatalf("%s became %s: %v", meta, to.req.Meta.Raw, err)
		}
		if n := bytes.Count(to.req.Meta.Raw, []byte(`"traceparent"`)); n < 1 {
			t.Errorf("%s became %s, without a trace", meta, to.req.Meta.Raw)
		}
		if len(after["traceparent"]) != 57 {
			t.Errorf("the trace of %s is %s", meta, after["traceparent"])
		}
		for _, key := range []string{"traceparent", "tracestate", "baggage"} {
			delete(before, key)
			delete(after, key)
		}
		if len(before) != len(after) {
			t.Errorf("%s became %s", meta, to.req.Meta.Raw)
		}
		for key, value := range before {
			if !bytes.Equal(value, after[key]) {
				t.Errorf("%q was %s and is %s", key, value, after[key])
			}
		}
	})
}
