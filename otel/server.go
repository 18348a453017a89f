package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// methodListen is a request that lasts for as long as its client listens
// (2026-07-28, basic/patterns/subscriptions): its span ends when it is
// acknowledged, and how long it took is not measured.
const methodListen = "subscriptions/listen"

// Server is a mcp.Middleware that makes a span of every request and measures its
// duration. Pass it to mcp.Server.Use before middleware that may refuse requests.
//
// The parent of the span is the first of: the trace in the _meta of the request
// (2026-07-28, basic, "_meta"), the span of its context, the header traceparent of its
// HTTP request, Options.Parent. Requests of the handler to other servers, and the agents
// that it starts, belong to the span, which mcp.TraceFrom returns. Notifications are
// events of the span. Questions of legacy sessions are separate spans.
func (i *Instruments) Server(next mcp.Handler) mcp.Handler {
	if i.idle() {
		return next
	}
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		method := req.Method
		session := req.Meta.Session()
		switch {
		case caller.IsOwn(ctx), session != nil && method == methodListen:
			return next(ctx, req) // no client has sent it
		case session != nil && method == "server/discover":
			if !i.begin(ctx, session, req) {
				return next(ctx, req) // nor this one
			}
			method = "initialize"
		}
		s := serving{i: i, req: req, start: time.Now()}
		s.describe(method)
		ctx = s.open(ctx)
		return s.run(ctx, next)
	}
}

// Dispatcher is Server for other Dispatchers, for example a gateway.
func (i *Instruments) Dispatcher(d protocol.Dispatcher) protocol.Dispatcher {
	if i.idle() {
		return d
	}
	if w, ok := d.(watchable); ok {
		return watched{dispatcher(i.Server(d.Dispatch)), w}
	}
	return dispatcher(i.Server(d.Dispatch))
}

// watchable is the interface by which transports watch changes without a goroutine for
// each session.
type watchable interface {
	Watch(filter protocol.SubscriptionFilter, changed func()) (w protocol.Watch, ok bool)
}

type watched struct {
	dispatcher
	watchable
}

type dispatcher mcp.Handler

// Dispatch implements protocol.Dispatcher.
func (d dispatcher) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	return d(ctx, req)
}

// begin notes that a session has begun; false says that it had before.
func (i *Instruments) begin(ctx context.Context, session *protocol.SessionMeta, req *protocol.Request) bool {
	start, l := time.Now(), labels{at: addressOfTransport(req.Peer.Transport)}
	ctx = context.WithoutCancel(ctx)
	return session.OnEnd(i, func() {
		if i.serverLife != nil {
			i.serverLife.in.Record(ctx, time.Since(start).Seconds(), i.serverLife.with(l)...)
		}
	})
}

// serving is a request that is being served.
type serving struct {
	i       *Instruments
	req     *protocol.Request
	labels  labels
	subject subject
	start   time.Time
	span    trace.Span // nil when none is made
}

// describe sets the subject of the request.
func (s *serving) describe(method string) {
	s.subject = s.i.readSubject(s.req.Method, s.req.Params)
	s.labels = labels{method: methodName(method), at: addressOfTransport(s.req.Peer.Transport)}
	if method != "initialize" {
		s.labels.revision = s.req.Meta.Revision
	}
	switch method {
	case "tools/call":
		s.labels.tool = s.subject.name
	case "prompts/get":
		s.labels.prompt = s.subject.name
	}
}

// name is that of a span.
func (l *labels) name() string {
	if target := l.tool + l.prompt; target != "" {
		return l.method + " " + target
	}
	return l.method
}

// open begins the span. It returns a context in which further requests belong to it.
func (s *serving) open(ctx context.Context) context.Context {
	if s.i.tracer == nil {
		return ctx
	}
	ctx, options := s.i.parentOf(ctx, s.req)
	options = append(options, trace.WithAttributes(s.labels.append(make([]attribute.KeyValue, 0, 10))...))
	ctx, s.span = s.i.tracer.Start(ctx, s.labels.name(), options...)
	if s.span.IsRecording() {
		s.detail()
	}
	if t := s.i.inject(ctx); t.Parent != "" {
		ctx = mcp.WithTrace(ctx, t)
	}
	return ctx
}

// detail records the attributes that only recorded spans need.
func (s *serving) detail() {
	all := make([]attribute.KeyValue, 0, 8)
	if id := requestID(s.req.ID); id != "" {
		all = append(all, keyRequestID.String(id))
	}
	if s.subject.uri != "" {
		all = appendText(all, keyURI, s.i.location(s.subject.uri))
	}
	all = appendText(all, keySession, sessionID(s.req.Peer.Headers.Get("Mcp-Session-Id")))
	host, port := hostPort(s.req.Peer.Address)
	all = appendText(all, keyClient, host)
	if port > 0 {
		all = append(all, keyClientPort.Int(port))
	}
	if s.i.opts.Arguments && s.labels.tool != "" && len(s.subject.arguments) > 0 {
		all = append(all, keyArguments.String(s.i.arguments(s.subject.arguments)))
	}
	s.span.SetAttributes(all...)
}

// run serves the request, and records its outcome, also a panic.
func (s *serving) run(ctx context.Context, next mcp.Handler) (result protocol.Result, err error) {
	req, returned := s.req, false
	if notes := s.span != nil && s.span.IsRecording() && req.Notify != nil; notes || req.Asker != nil {
		own := *req
		if notes {
			own.Notify = s.listening(req.Notify)
		}
		if req.Asker != nil {
			own.Asker = asker{s.i, req.Asker, s.labels}
		}
		req = &own
	}
	defer func() {
		o := outcome{failure: errorPanic}
		if returned {
			o = outcomeOf(ctx, result, err)
		}
		s.close(ctx, o)
	}()
	result, err = next(ctx, req)
	returned = true
	return result, err
}

// listening returns a Notify function that makes an event of each notification.
func (s *serving) listening(notify func(context.Context, protocol.Notification) error) func(context.Context, protocol.Notification) error {
	return func(ctx context.Context, n protocol.Notification) error {
		note(s.span, n)
		return notify(ctx, n)
	}
}

// note makes an event of a notification. A subscription that is acknowledged has
// nothing more to tell of itself.
func note(span trace.Span, n protocol.Notification) {
	span.AddEvent(methodName(n.Method()))
	if _, ok := n.(*protocol.AcknowledgedNotification); ok {
		span.End()
	}
}

// close records how the request has ended.
func (s *serving) close(ctx context.Context, o outcome) {
	// Names that nothing here bears are for whoever sends requests to choose: they
	// do not become the names of anything.
	unknown := o.protocol == protocol.CodeMethodNotFound || o.protocol == protocol.CodeInvalidParams
	if o.protocol == protocol.CodeMethodNotFound {
		s.labels.method = otherMethod
	}
	if o.protocol != 0 {
		s.labels.tool, s.labels.prompt = "", ""
	}
	if s.subject.uri != "" {
		o.message = "" // which likes to quote the whole of it
	}
	if s.span != nil {
		if unknown && s.span.IsRecording() {
			s.span.SetName(s.labels.name())
		}
		s.i.record(s.span, o)
		s.span.End()
	}
	if s.i.server == nil || s.req.Method == methodListen {
		return
	}
	s.labels.failure, s.labels.status = o.failure, o.status()
	s.i.server.measure(ctx, s.start, s.labels)
}

// measure records how long something took that began at start.
func (d *durations) measure(ctx context.Context, start time.Time, l labels) {
	d.in.Record(ctx, time.Since(start).Seconds(), d.with(l)...)
}
