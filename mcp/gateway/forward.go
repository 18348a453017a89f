package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// pass forwards a request with params and returns its result. It decodes neither arguments nor
// results, and takes a lock only to wait. repeatable allows a second attempt after a lost response.
// The error is a *loginError if a login is required.
func (m *member) pass(ctx context.Context, req *protocol.Request, params json.RawMessage, repeatable bool) (protocol.Result, error) {
	if m.up.Timeout > 0 {
		late := &lateError{m.up.Name, m.up.Timeout}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, m.up.Timeout, late)
		defer cancel()
	}
	l, err := m.aliveLink(ctx)
	if err != nil {
		return m.errorResult(ctx, req, err)
	}
	if m.up.Asks && !l.modern && mayAsk(req.Method) && canAnswer(req) {
		return m.pool.call(ctx, req, params)
	}
	l.calls.Add(1)
	defer l.calls.Add(-1)
	if l.local {
		own := *req
		own.Params = params
		return l.conn.Dispatch(ctx, &own)
	}
	out := m.upstreamRequest(req, params, l, l.wantedLogLevel(ctx, req))
	if l.modern && !req.Meta.Revision.Modern() {
		return m.forwardWithQuestions(ctx, l, req, out, repeatable)
	}
	got, err := m.exchange(ctx, l, out, repeatable)
	if err != nil {
		return m.errorResult(ctx, req, err)
	}
	return adaptResult(got.raw, got.link.conn.Revision(), req)
}

// mayAsk reports whether a method can cause questions (2026-07-28, basic/patterns/mrtr).
func mayAsk(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// closeReason returns the reason for the end of the connection.
func (l *link) closeReason() error {
	if conn, ok := l.conn.(protocol.Ender); ok {
		if err := conn.Err(); err != nil {
			return err
		}
	}
	return errors.New("its connection has ended")
}

// upstreamRequest returns the request to the upstream. It declares the capabilities of the sender
// and contains none of its credentials. logs is the minimum level of log messages for the sender;
// empty for none.
func (m *member) upstreamRequest(req *protocol.Request, params json.RawMessage, l *link, logs protocol.LogLevel) *protocol.Request {
	out := &protocol.Request{Method: req.Method, Params: params, Meta: protocol.RequestMeta{Raw: req.Meta.Raw, LogLevel: logs}}
	if l.modern || logs != "" {
		out.Meta = out.Meta.WithForwardedCapabilities(m.clientCapabilities(req, l))
	}
	progress := len(req.Meta.ProgressToken) > 0
	if req.Notify == nil || !progress && logs == "" {
		return out
	}
	out.Notify = func(ctx context.Context, n protocol.Notification) error {
		if l.live != nil {
			l.live.recordAnswer()
		}
		switch n := n.(type) {
		case *protocol.ProgressNotification:
			if progress {
				own := *n
				own.Token = req.Meta.ProgressToken
				return req.Notify(ctx, &own)
			}
		case *protocol.LogNotification:
			if logs.Includes(n.Level) {
				return req.Notify(ctx, n)
			}
		}
		return nil
	}
	return out
}

// send sends a request and returns its raw result, an object.
func send(ctx context.Context, l *link, out *protocol.Request) (json.RawMessage, error) {
	result, err := l.conn.Dispatch(ctx, out)
	if err != nil {
		return nil, err
	}
	raw, ok := result.(protocol.RawResult)
	if !ok {
		wire, err := result.AppendJSON(nil, protocol.Latest)
		if err != nil {
			return nil, err
		}
		raw = protocol.RawResult(wire)
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, errNoObject
	}
	return json.RawMessage(raw), nil
}

// errNoObject reports a result that is not a JSON object.
var errNoObject = errors.New("it answered with something that is not a JSON object")

// isGone reports whether a request has failed because its connection has.
func isGone(ctx context.Context, l *link, err error) bool {
	var answered *protocol.Error
	if err == nil || ctx.Err() != nil || errors.As(err, &answered) || errors.Is(err, errNoObject) {
		return false
	}
	select {
	case <-l.conn.Done():
		return true
	default:
		return false
	}
}

// errorResult returns the response for a failed request. It forwards the upstream's own error, and
// adds the next step for a model otherwise.
func (m *member) errorResult(ctx context.Context, req *protocol.Request, err error) (protocol.Result, error) {
	var answered *protocol.Error
	if errors.As(err, &answered) {
		if answered.Code == protocol.CodeMissingCapability && req.Method == "tools/call" && !req.Meta.Revision.Modern() {
			return mcp.ErrorResult(&mcp.ToolError{Code: "MISSING_CAPABILITY", Message: safeText(answered.Message)}), nil
		}
		return nil, translateError(answered, req)
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if late := (*lateError)(nil); !errors.As(cause, &late) {
			return nil, cause
		}
		err = cause
	}
	if missing := (*loginError)(nil); errors.As(err, &missing) {
		return nil, missing
	}
	if errors.Is(err, ErrLoginNeeded) {
		m.loseLogin(err)
		return nil, &loginError{upstream: m.up.Name, err: err}
	}
	var down *downError
	var late *lateError
	var busy *busyError
	var lost *lostError
	if !errors.As(err, &down) && !errors.As(err, &late) && !errors.As(err, &busy) && !errors.As(err, &lost) {
		err = &lostError{m.up.Name, err}
	}
	if req.Method == "tools/call" {
		return mcp.ErrorResult(err), nil
	}
	return nil, protocol.Errorf(protocol.CodeInternal, "%s", err.Error())
}

// translateError converts an upstream's error to the client's revision.
func translateError(e *protocol.Error, req *protocol.Request) error {
	switch {
	case e.Code == protocol.CodeResourceNotFoundOld && req.Method == "resources/read":
		if s, err := readSubject(req.Method, "uri", req.Params); err == nil {
			return mcp.ResourceNotFound(s.text)
		}
		return e
	case e.Code == protocol.CodeHeaderMismatch || e.Code == protocol.CodeUnsupportedRevision || e.Code == protocol.CodeURLElicitationNeeded && req.Meta.Revision != protocol.Rev20251125:
		// These are between the gateway and the upstream.
		return protocol.Errorf(protocol.CodeInternal, "The server behind the gateway refuses the request: %s", safeText(e.Message))
	}
	return e
}
