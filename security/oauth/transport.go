package oauth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

const (
	// maxReplay is the maximum size of a request body that is kept for another attempt, in bytes.
	maxReplay = 4 << 20
	// maxRounds limits the attempts of one request.
	maxRounds = 6
	// maxDrain is the number of bytes of a refused response that are read, so that its connection
	// can be reused.
	maxDrain = 64 << 10
)

// transport is the RoundTripper of Client.Transport.
type transport struct {
	session *session
	base    http.RoundTripper
}

// CloseIdleConnections closes the idle connections of base. http.Client.CloseIdleConnections calls
// it.
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
	held, err := t.session.currentToken(req.Context(), t.base)
	if err != nil {
		closeBody(req)
		return nil, t.session.wrapError(err)
	}
	for {
		resp, err := a.send(held)
		if err != nil || a.rounds == maxRounds || !a.repeatable {
			return resp, err
		}
		next, again, err := a.evaluateResponse(resp, held)
		if err == nil && !again {
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, maxDrain) // the challenge is in the header; the body is not needed
		_ = resp.Body.Close()
		if err != nil {
			return nil, t.session.wrapError(err)
		}
		held = next
	}
}

// exchange is one request with the state of its attempts.
type exchange struct {
	*transport
	req        *http.Request
	body       func() (io.ReadCloser, error)
	repeatable bool
	rounds     int
	nonce      bool     // the request was repeated because of a DPoP nonce
	granted    bool     // a login or Grant brought a token for this request
	steppedUp  []string // scopes of the last step-up
}

// keepBody makes the body available for another attempt. A body above maxReplay is sent once.
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
		a.body = func() (io.ReadCloser, error) { return bodyReader{first, rest}, nil }
	}
	return nil
}

// bodyReader reads from Reader and closes Closer.
type bodyReader struct {
	io.Reader
	io.Closer
}

// send sends the request once, with the token if it is usable.
func (a *exchange) send(held *issuedToken) (*http.Response, error) {
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
				return nil, a.session.wrapError(err)
			}
		}
	}
	if a.session.hasObservedReach() {
		return a.base.RoundTrip(req)
	}
	return a.session.observeReach(a.base).RoundTrip(req)
}

// evaluateResponse reports whether the request is sent again, and with which token (2026-07-28,
// basic/authorization, "Error Handling" and "Step-Up Authorization Flow").
func (a *exchange) evaluateResponse(resp *http.Response, held *issuedToken) (next *issuedToken, again bool, err error) {
	s, ctx := a.session, a.req.Context()
	news := held != nil && held.bound() && s.client.proofs.recordNonce(a.req.URL.String(), resp.Header)
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
	default:
		if a.steppedUp != nil {
			s.resetStepUps(a.operation(), a.steppedUp)
		}
		return nil, false, nil
	}
	said := readChallenge(resp.Header)
	n := authRequest{base: a.base, tried: held, challenge: said, version: a.req.Header.Get("MCP-Protocol-Version")}
	switch {
	case said.otherSchemes:
		return nil, false, nil
	case said.code == "use_dpop_nonce" && news && !a.nonce:
		a.nonce = true
		return held, true, nil
	case resp.StatusCode == http.StatusUnauthorized:
		if a.granted || held != nil && held.usable() && held.fresh && a.rounds > 1 {
			return nil, false, nil // the server refuses a new token with the scopes that it required
		}
	case said.code != "insufficient_scope" || held == nil || len(said.scopes) == 0 || !held.Assumed && len(missing(said.scopes, held.Granted)) == 0:
		return nil, false, nil // another token has the same scopes
	case !s.mayStepUp(a.operation(), union(held.Requested, said.scopes)):
		s.client.log().Warn("the server keeps asking for scopes that were already requested", "resource", s.resource.Redacted(), "scopes", said.scopes)
		return nil, false, nil
	default:
		n.stepUp, a.steppedUp = true, union(held.Requested, said.scopes)
	}
	next, err = s.renewToken(ctx, n)
	if err == nil && next.fresh && !n.stepUp {
		a.granted = true
	}
	return next, true, err
}

// operation identifies the request for the step-up limit by its header fields (2026-07-28,
// basic/transports/streamable-http, "Request Metadata").
func (a *exchange) operation() string {
	return a.req.Method + " " + a.req.URL.Path + " " + a.req.Header.Get("Mcp-Method") + " " + a.req.Header.Get("Mcp-Name")
}

// wrapError wraps the cause of a failed authorization in an *Error. Cancellations are returned
// unchanged.
func (s *session) wrapError(err error) error {
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
