package otel

import (
	"context"
	"encoding/json"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Client returns a transport that makes a span of every request on its connections
// and measures the time to its response. The _meta of the request names the span
// (2026-07-28, basic, "_meta"), in place of any earlier trace. Client is for
// mcp.Connect and for the upstreams of a gateway.
//
// A cached response needs no request and makes no span. A call with questions of the
// server consists of several requests and makes a span of each. Questions of legacy
// sessions are spans, too; questions of revision 2026-07-28 are spans with Answers.
func (i *Instruments) Client(t protocol.Transport) protocol.Transport {
	if i.idle() {
		return t
	}
	return observedTransport{i, t, addressBehind(t)}
}

type observedTransport struct {
	i    *Instruments
	next protocol.Transport
	at   peerAddress
}

// Connect implements protocol.Transport.
func (t observedTransport) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	own := *host
	if host.Answer != nil {
		own.Answer = t.answering(host.Answer)
	}
	start := time.Now()
	_, op := t.i.operate(ctx, trace.SpanKindClient, start, labels{method: "initialize", at: t.at})
	c, err := t.next.Connect(ctx, &own) // whose values may live as long as the connection
	if err == nil {
		op.labels.revision = c.Revision()
		if op.labels.revision.Modern() {
			op.labels.method = "server/discover"
		}
		if op.recording() {
			op.span.SetName(op.labels.name())
			op.span.SetAttributes(keyMethod.String(op.labels.method), keyRevision.String(string(op.labels.revision)))
		}
	}
	op.end(ctx, outcomeOf(ctx, nil, err))
	if err != nil {
		return nil, err
	}
	observed := &observedConn{Conn: c, i: t.i, at: t.at, closed: make(chan struct{})}
	observed.live(ctx, start)
	if n, ok := c.(protocol.Notifier); ok {
		return &notifier{observed, n}, nil
	}
	return observed, nil
}

// observedConn is a connection whose requests are observed.
type observedConn struct {
	protocol.Conn
	i      *Instruments
	at     peerAddress
	life   group.Group // one goroutine, which waits for the end
	closed chan struct{}
}

// live measures how long the connection lives.
func (c *observedConn) live(ctx context.Context, start time.Time) {
	if c.i.clientLife == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	l := labels{revision: c.Revision(), at: c.at}
	c.life.Go(func() {
		select {
		case <-c.Conn.Done():
		case <-c.closed:
		}
		c.i.clientLife.measure(ctx, start, l)
	})
}

// Err implements protocol.Ender.
func (c *observedConn) Err() error {
	if conn, ok := c.Conn.(protocol.Ender); ok {
		return conn.Err()
	}
	return nil
}

// Close implements protocol.Conn. It is called once.
func (c *observedConn) Close() error {
	err := c.Conn.Close()
	select {
	case <-c.closed:
	default:
		close(c.closed)
	}
	c.life.Wait()
	return err
}

// Dispatch implements protocol.Dispatcher.
func (c *observedConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	about := c.i.readSubject(req.Method, req.Params)
	l := labels{method: methodName(req.Method), revision: c.Revision(), at: c.at}
	switch req.Method {
	case "tools/call":
		l.tool = about.name
	case "prompts/get":
		l.prompt = about.name
	}
	// A forwarded request has its trace in _meta, and often, but not always, in ctx.
	inside := ctx
	if said := metaCarrier(req.Meta.Raw); !trace.SpanContextFromContext(ctx).IsValid() && said.Parent != "" {
		parent, named := c.i.extract(ctx, &said)
		inside = trace.ContextWithRemoteSpanContext(parent, named)
	}
	inside, op := c.i.operate(inside, trace.SpanKindClient, time.Now(), l)
	own := *req
	own.Meta.Raw = withTrace(req.Meta.Raw, c.i.inject(inside))
	if op.recording() {
		c.detail(&op, &about)
		if req.Notify != nil {
			own.Notify = func(ctx context.Context, n protocol.Notification) error {
				note(op.span, n)
				return req.Notify(ctx, n)
			}
		}
	}
	if req.Method == methodListen {
		op.in = nil
	}
	result, err := c.Conn.Dispatch(inside, &own)
	o := outcomeOf(ctx, result, err)
	if about.uri != "" {
		o.message = "" // which likes to quote the whole of it
	}
	op.end(ctx, o)
	return result, err
}

func (c *observedConn) detail(op *operation, about *subject) {
	var all []attribute.KeyValue
	if about.uri != "" {
		all = appendText(all, keyURI, c.i.location(about.uri))
	}
	if c.i.opts.Arguments && op.labels.tool != "" && len(about.arguments) > 0 {
		all = append(all, keyArguments.String(c.i.arguments(about.arguments)))
	}
	op.span.SetAttributes(all...)
}

// notifier is an observedConn that can send notifications.
type notifier struct {
	*observedConn
	next protocol.Notifier
}

// Notify implements protocol.Notifier.
func (n *notifier) Notify(ctx context.Context, what protocol.Notification) error {
	l := labels{method: methodName(what.Method()), revision: n.Revision(), at: n.at}
	ctx, op := n.i.operate(ctx, trace.SpanKindClient, time.Now(), l)
	err := n.next.Notify(ctx, what)
	op.end(ctx, outcomeOf(ctx, nil, err))
	return err
}

// answeredKey marks a context in which a question has its span already.
type answeredKey struct{}

// answering makes spans of the questions that come in a session.
func (t observedTransport) answering(next func(context.Context, protocol.InputRequest) (json.RawMessage, error)) func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
	return func(ctx context.Context, q protocol.InputRequest) (answer json.RawMessage, err error) {
		said := metaCarrier(metaOf(q.Params))
		inside, named := t.i.extract(context.WithValue(ctx, answeredKey{}, true), &said)
		if named.IsValid() {
			inside = trace.ContextWithRemoteSpanContext(inside, named)
		}
		inside, op := t.i.operate(inside, trace.SpanKindServer, time.Now(), labels{method: methodName(q.Method), at: t.at})
		answer, err = next(inside, q)
		op.end(ctx, outcomeOf(ctx, nil, err))
		return answer, err
	}
}

// Answers returns options whose functions that answer questions make a span of
// each, within that of the caller. opts may be nil, and is not changed.
func (i *Instruments) Answers(opts *mcp.ClientOptions) *mcp.ClientOptions {
	own := new(mcp.ClientOptions)
	if opts != nil {
		*own = *opts
	}
	if i.idle() {
		return own
	}
	if elicit := own.Elicit; elicit != nil {
		own.Elicit = func(ctx context.Context, form mcp.ElicitForm) (answer mcp.Answer[json.RawMessage], err error) {
			err = i.answer(ctx, "elicitation/create", func(ctx context.Context) error {
				answer, err = elicit(ctx, form)
				return err
			})
			return answer, err
		}
	}
	if page := own.ElicitURL; page != nil {
		own.ElicitURL = func(ctx context.Context, message, url string) (action mcp.Action, err error) {
			err = i.answer(ctx, "elicitation/create", func(ctx context.Context) error {
				action, err = page(ctx, message, url)
				return err
			})
			return action, err
		}
	}
	i.answersOlder(own)
	return own
}

// answersOlder is Answers for the deprecated questions of earlier revisions.
func (i *Instruments) answersOlder(own *mcp.ClientOptions) {
	//lint:ignore SA1019 every revision must go on working
	if sample := own.Sample; sample != nil {
		//lint:ignore SA1019 every revision must go on working
		own.Sample = func(ctx context.Context, params mcp.SampleParams) (answer *mcp.SampleResult, err error) {
			err = i.answer(ctx, "sampling/createMessage", func(ctx context.Context) error {
				answer, err = sample(ctx, params)
				return err
			})
			return answer, err
		}
	}
	//lint:ignore SA1019 every revision must go on working
	if roots := own.Roots; roots != nil {
		//lint:ignore SA1019 every revision must go on working
		own.Roots = func(ctx context.Context) (answer []mcp.Root, err error) {
			err = i.answer(ctx, "roots/list", func(ctx context.Context) error {
				answer, err = roots(ctx)
				return err
			})
			return answer, err
		}
	}
}

// answer runs the handler of a question in a span, unless the question has a span already.
func (i *Instruments) answer(ctx context.Context, method string, run func(context.Context) error) error {
	if ctx.Value(answeredKey{}) != nil {
		return run(ctx)
	}
	inside, op := i.operate(ctx, trace.SpanKindInternal, time.Now(), labels{method: method})
	err := run(inside)
	op.end(ctx, outcomeOf(ctx, nil, err))
	return err
}
