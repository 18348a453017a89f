package httpclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

const (
	// sessionRenewal bounds how long it takes to open a session again.
	renewalTimeout = 30 * time.Second
	// maxSubscriptions bounds the subscriptions that are remembered for a new session.
	maxSubscriptions = 1024
)

// sessionState is the state that a new session must receive from the former one.
type sessionState struct {
	mu         sync.Mutex
	level      []byte // the params of logging/setLevel
	subscribed map[string]struct{}
}

// note remembers a request that has succeeded.
func (k *sessionState) note(method string, params []byte) {
	if method != "logging/setLevel" && method != "resources/subscribe" && method != "resources/unsubscribe" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	uri := stringMember(params, "uri")
	switch {
	case method == "logging/setLevel":
		k.level = params
	case method == "resources/unsubscribe":
		delete(k.subscribed, uri)
	case len(k.subscribed) < maxSubscriptions:
		if k.subscribed == nil {
			k.subscribed = make(map[string]struct{})
		}
		k.subscribed[uri] = struct{}{}
	}
}

func (k *sessionState) list() (level []byte, uris []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.level, slices.Sorted(maps.Keys(k.subscribed))
}

// sessionRenewal is the opening of a session in place of a lost one, for which
// all wait that have noticed the loss.
type sessionRenewal struct {
	done chan struct{}
	err  error
}

// errSessionLives is why a session is not renewed.
var errSessionLives = errors.New("the server still knows the session")

// renew opens a session in place of one that the server has forgotten
// (2025-11-25, basic/transports, "Session Management"), unless that has been
// done, and waits for it. why is the server's answer that says or suggests so; after an
// answer that only suggests it, the error is errSessionLives if a ping finds the session.
func (c *streamableConn) renew(ctx context.Context, lost *session, why error) error {
	c.mu.Lock()
	if c.session.Load() != lost {
		c.mu.Unlock()
		return nil
	}
	r := c.renewal
	if r == nil && !c.ended {
		r = &sessionRenewal{done: make(chan struct{})}
		c.renewal = r
		c.group.Go(func() {
			if r.err = errSessionLives; lost.isLost(why) || c.pingFails(lost) {
				r.err = c.reopen(lost)
			}
			c.mu.Lock()
			c.renewal = nil
			c.mu.Unlock()
			close(r.done)
		})
	}
	c.mu.Unlock()
	if r == nil {
		return context.Cause(c.run)
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.done:
		return context.Cause(c.run)
	}
}

// renewSoon begins to renew a session for the requests to come, and waits for
// half of resumeTimeout at most.
func (c *streamableConn) renewSoon(ctx context.Context, lost *session, why error) {
	ctx, cancel := context.WithTimeout(ctx, resumeTimeout/2)
	defer cancel()
	if err := c.renew(ctx, lost, why); err != nil {
		c.wire.log.Debug("the session is not renewed yet", "reason", err)
	}
}

// pingFails reports whether the server refuses a ping in a session as if it did
// not know the session.
func (c *streamableConn) pingFails(s *session) bool {
	ctx, cancel := context.WithTimeout(c.run, closeTimeout)
	defer cancel()
	_, err := c.roundTrip(ctx, s, "ping", []byte(`{}`), nil, nil)
	return s.mayBeLost(err)
}

// reopen opens a session of the same revision. A server that refuses has ended
// the connection; one that cannot now may be asked again.
func (c *streamableConn) reopen(lost *session) error {
	ctx, cancel := context.WithTimeout(c.run, renewalTimeout)
	defer cancel()
	host := *c.host
	host.Revision = c.Revision()
	n := &negotiation{conn: c, ctx: ctx, older: true}
	agreed, err := legacy.Negotiate(ctx, &host, n.call, n.notify)
	if err != nil {
		n.abandon()
		err = fmt.Errorf("the server has forgotten the session, and opening another failed: %w", err)
		if !mayRecover(err) {
			c.end(err)
		}
		return err
	}
	c.agreed.Store(agreed)
	uris := c.restore(ctx, n.session)
	c.session.Store(n.session)
	lost.stop(nil)
	c.startListening(ctx, n.session)
	c.missed(agreed.Info.Capabilities, uris)
	return nil
}

// mayRecover reports whether a later attempt may succeed.
func mayRecover(err error) bool {
	var status *StatusError
	var e *protocol.Error
	var network net.Error
	var token *tokenError
	switch {
	case errors.As(err, &status):
		// A proxy answers 404 while it has no server behind it.
		return status.temporary() || status.Code == http.StatusNotFound && status.rpc == nil
	case errors.As(err, &e):
		return false
	}
	return errors.Is(err, ErrRequestLost) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) || errors.As(err, &token)
}

// restore sets the log level and the subscriptions of the previous session in a
// new one. It returns the resources to which it has subscribed.
func (c *streamableConn) restore(ctx context.Context, s *session) (subscribed []string) {
	level, uris := c.kept.list()
	if level != nil {
		if _, err := c.roundTrip(ctx, s, "logging/setLevel", level, nil, nil); err != nil {
			c.wire.log.Warn("the log level could not be set again", "reason", err)
		}
	}
	for _, uri := range uris {
		if _, err := c.roundTrip(ctx, s, "resources/subscribe", uriParams(uri), nil, nil); err != nil {
			c.wire.log.Warn("a resource could not be subscribed to again", "uri", uri, "reason", err)
			continue
		}
		subscribed = append(subscribed, uri)
	}
	return subscribed
}

// missed reports each list and each subscribed resource as changed, because
// changes without a session were not reported.
func (c *streamableConn) missed(caps protocol.ServerCapabilities, uris []string) {
	for list, offered := range map[string]bool{
		"tools":     caps.Tools != nil && caps.Tools.ListChanged,
		"prompts":   caps.Prompts != nil && caps.Prompts.ListChanged,
		"resources": caps.Resources != nil && caps.Resources.ListChanged,
	} {
		if offered {
			c.router.Received("notifications/"+list+"/list_changed", nil)
		}
	}
	for _, uri := range uris {
		c.router.Received("notifications/resources/updated", uriParams(uri))
	}
}

func uriParams(uri string) []byte {
	return append(jsonx.AppendQuoted([]byte(`{"uri":`), uri), '}')
}
