package oauth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

const (
	// maxReplay bounds the body that is kept for a second time, in bytes.
	maxReplay = 4 << 20
	// maxRounds bounds how often a request is sent.
	maxRounds = 6
	// drained is how much of a refusal is read, so that its connection can serve again, in bytes.
	drained = 64 << 10
)

// transport sends requests with the tokens of a session.
type transport struct {
	session *session
	base    http.RoundTripper
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if origin(req.URL) != t.session.origin || req.Header.Get("Authorization") != "" {
		return t.base.RoundTrip(req)
	}
	a := &exchange{transport: t, req: req}
	if err := a.keepBody(); err != nil {
		return nil, err
	}
	held, err := t.session.current(req.Context(), t.base)
	if err != nil {
		closeBody(req)
		return nil, t.session.fail(err)
	}
	for {
		resp, err := a.send(held)
		if err != nil || a.rounds == maxRounds || !a.repeatable {
			return resp, err
		}
		next, again, err := a.judge(resp, held)
		if err == nil && !again {
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, drained) // what was wrong is known
		_ = resp.Body.Close()
		if err != nil {
			return nil, t.session.fail(err)
		}
		held = next
	}
}

// exchange is a request, and what has been tried for it.
type exchange struct {
	*transport
	req        *http.Request
	body       func() (io.ReadCloser, error)
	repeatable bool
	rounds     int
	nonce      bool     // a nonce has been given
	granted    bool     // a token was made for this request
	steppedUp  []string // the scopes that the last step-up has asked for
}

// keepBody sees to it that the body can be sent again.
func (a *exchange) keepBody() error {
	a.repeatable = true
	switch {
	case a.req.Body == nil || a.req.Body == http.NoBody:
	case a.req.GetBody != nil:
		a.body = a.req.GetBody
	default:
		kept, err := io.ReadAll(io.LimitReader(a.req.Body, maxReplay+1))
		if err != nil {
			closeBody(a.req)
			return err
		}
		first := io.MultiReader(bytes.NewReader(kept), a.req.Body)
		if a.repeatable = len(kept) <= maxReplay; a.repeatable {
			closeBody(a.req)
			a.body = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(kept)), nil }
			return nil
		}
		rest := a.req.Body
		a.body = func() (io.ReadCloser, error) { return joined{first, rest}, nil }
	}
	return nil
}

// joined reads one and closes another.
type joined struct {
	io.Reader
	io.Closer
}

// send sends the request once, with a token if there is one.
func (a *exchange) send(held *issued) (*http.Response, error) {
	req := a.req.Clone(a.req.Context())
	if a.body != nil && (a.rounds > 0 || a.req.GetBody == nil) {
		body, err := a.body()
		if err != nil {
			closeBody(a.req)
			return nil, err
		}
		req.Body = body
	}
	a.rounds++
	if held != nil && held.usable() {
		req.Header.Set("Authorization", held.Token.Type()+" "+held.Token.AccessToken)
		if held.bound() {
			if err := a.session.client.proofs.prove(req.Header, req.Method, req.URL.String(), held.Token.AccessToken); err != nil {
				closeBody(req)
				return nil, a.session.fail(err)
			}
		}
	}
	if a.session.isPlaced() {
		return a.base.RoundTrip(req)
	}
	return a.session.watched(a.base).RoundTrip(req)
}

// judge reports whether the request should be sent again, and with which token (2026-07-28, basic/authorization, "Error
// Handling" and "Step-Up Authorization Flow").
func (a *exchange) judge(resp *http.Response, held *issued) (next *issued, again bool, err error) {
	s, ctx := a.session, a.req.Context()
	news := held != nil && held.bound() && s.client.proofs.note(a.req.URL.String(), resp.Header)
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
	default:
		if a.steppedUp != nil {
			s.steppedUp(a.operation(), a.steppedUp)
		}
		return nil, false, nil
	}
	said := readChallenge(resp.Header)
	n := need{base: a.base, used: held, said: said, version: a.req.Header.Get("MCP-Protocol-Version")}
	switch {
	case said.foreign:
		return nil, false, nil
	case said.code == "use_dpop_nonce" && news && !a.nonce:
		a.nonce = true
		return held, true, nil
	case resp.StatusCode == http.StatusUnauthorized:
		if a.granted || held != nil && held.usable() && held.fresh && a.rounds > 1 {
			return nil, false, nil // the server does not want what it has asked for
		}
	case said.code != "insufficient_scope" || held == nil || len(said.scopes) == 0 || !held.Assumed && len(missing(said.scopes, held.Granted)) == 0:
		return nil, false, nil // another token would be no better
	case !s.mayStepUp(a.operation(), union(held.Requested, said.scopes)):
		s.client.log().Warn("the server goes on asking for scopes that were asked for", "resource", s.resource.Redacted(), "scopes", said.scopes)
		return nil, false, nil
	default:
		n.stepUp, a.steppedUp = true, union(held.Requested, said.scopes)
	}
	next, err = s.renew(ctx, n)
	if err == nil && next.fresh && !n.stepUp {
		a.granted = true
	}
	return next, true, err
}

// operation is what the request is for, as far as its head tells (2026-07-28, basic/transports/streamable-http, "Request
// Metadata").
func (a *exchange) operation() string {
	return a.req.Method + " " + a.req.URL.Path + " " + a.req.Header.Get("Mcp-Method") + " " + a.req.Header.Get("Mcp-Name")
}

// fail is the error of a request for which there is no token.
func (s *session) fail(err error) error {
	var already *Error
	if errors.As(err, &already) || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Resource: s.resource.Redacted(), Err: err}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
