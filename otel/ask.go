package otel

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// asker makes spans of the questions that a server puts to the client of a
// session while it serves a request.
type asker struct {
	i    *Instruments
	next protocol.Asker
	of   labels // of the request
}

// Ask implements protocol.Asker.
func (a asker) Ask(ctx context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	start := time.Now()
	asked := make(map[string]protocol.InputRequest, len(questions))
	all := make([]operation, 0, len(questions))
	for _, key := range slices.Sorted(maps.Keys(questions)) {
		q := questions[key]
		l := labels{method: methodName(q.Method), revision: a.of.revision, at: a.of.at}
		own, op := a.i.operate(ctx, trace.SpanKindClient, start, l)
		q.Params = inParams(q.Params, a.i.inject(own))
		asked[key], all = q, append(all, op)
	}
	answers, err := a.next.Ask(ctx, asked)
	for _, op := range all {
		op.end(ctx, outcomeOf(ctx, nil, err))
	}
	return answers, err
}

// inParams puts a trace into the _meta of params.
func inParams(params json.RawMessage, t mcp.TraceContext) json.RawMessage {
	if t.Parent == "" {
		return params
	}
	meta := json.RawMessage(nil)
	rest := []byte(nil)
	members := jsonx.Object(params)
	for len(params) > 0 && members.Next() {
		if name := members.Name(); name == "_meta" {
			meta = members.Value()
		} else {
			rest = append(jsonx.AppendQuoted(append(rest, ','), name), ':')
			rest = append(rest, members.Value()...)
		}
	}
	if members.Err() != nil {
		return params
	}
	out := append([]byte(`{"_meta":`), withTrace(meta, t)...)
	return append(append(out, rest...), '}')
}

// metaOf is the _meta of params.
func metaOf(params json.RawMessage) json.RawMessage {
	members := jsonx.Object(params)
	for len(params) > 0 && members.Next() {
		if members.Name() == "_meta" {
			return members.Value()
		}
	}
	return nil
}
