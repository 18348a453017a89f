package httpclient

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// negotiation is the HTTP part of legacy.Negotiate. It derives from HTTP statuses
// if the server is modern or legacy (2026-07-28, basic/transports/streamable-http,
// "Backward Compatibility").
type negotiation struct {
	conn  *streamableConn
	ctx   context.Context
	older bool // do not ask whether the server is modern

	session     *session // that initialize has opened; nil for none
	discovered  error    // of server/discover
	initialized error    // of initialize
}

// errOlder stands for the answer to a question that is not asked.
var errOlder = errors.New("the server has sessions")

// probeTimeout limits server/discover if the host sets neither ProbeTimeout nor
// Timeout.
const probeTimeout = time.Minute

// patient is a host that waits for the answer to server/discover as long as for
// any other. On stdio an old server may say nothing; over HTTP every server
// answers, and one that takes its time has not said that it is old.
func patient(host *protocol.Host) *protocol.Host {
	if host.ProbeTimeout > 0 {
		return host
	}
	waiting := *host
	if waiting.ProbeTimeout = host.Timeout; waiting.ProbeTimeout <= 0 {
		waiting.ProbeTimeout = probeTimeout
	}
	return &waiting
}

// call sends the requests of the handshake.
func (n *negotiation) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	switch {
	case method != "server/discover":
		return n.initialize(ctx, method, params)
	case n.older:
		return nil, errOlder
	}
	result, err := n.conn.discover(ctx, params)
	if slices.Contains(supportedBy(err), protocol.Latest) {
		result, err = n.conn.discover(ctx, params)
	}
	n.discovered = err
	return result, err
}

// initialize opens a session, unless it is clear that the server has none.
func (n *negotiation) initialize(ctx context.Context, method string, params []byte) ([]byte, error) {
	if conclusive(n.discovered) {
		return nil, n.discovered
	}
	n.abandon()
	s := newSession(n.conn)
	result, err := n.conn.roundTrip(ctx, s, method, params, nil, nil)
	n.initialized = err
	if err != nil {
		s.stop(nil)
		return nil, err
	}
	var agreed struct {
		ProtocolVersion protocol.Revision `json:"protocolVersion"`
	}
	if err := json.Unmarshal(result, &agreed); err == nil { // else Negotiate says what is wrong
		s.agree(agreed.ProtocolVersion)
	}
	n.session = s
	return result, nil
}

// abandon ends the session that was opened, when it is not wanted after all.
func (n *negotiation) abandon() {
	if n.session != nil {
		n.session.stop(nil)
		n.conn.release(n.session, time.Second) // the caller waits
		n.session = nil
	}
}

func (n *negotiation) notify(method string, params []byte) error {
	ctx, cancel := context.WithTimeout(n.ctx, answerTimeout)
	defer cancel()
	return n.conn.notify(ctx, n.session, method, params)
}

// certain reports whether the answer to server/discover was one, so that the
// next connection need not ask again.
func (n *negotiation) certain() bool {
	var status *StatusError
	if errors.As(n.discovered, &status) {
		return !status.temporary()
	}
	return !errors.Is(n.discovered, ErrRequestLost)
}

// mayBeSSE reports whether the server has refused a request that each server of
// a revision after 2024-11-05 must accept.
func (n *negotiation) mayBeSSE() bool {
	if modernError(n.discovered) || modernError(n.initialized) {
		return false
	}
	var status *StatusError
	if !errors.As(n.initialized, &status) {
		return false
	}
	return status.Code == http.StatusBadRequest || status.Code == http.StatusNotFound || status.Code == http.StatusMethodNotAllowed
}

// conclusive reports whether an answer to server/discover says that initialize
// would fail as well.
func conclusive(err error) bool {
	var status *StatusError
	var token *tokenError
	var redirected *redirectError
	var dial *net.OpError
	var e *protocol.Error
	switch {
	case errors.As(err, &token), errors.As(err, &redirected):
		return true
	case errors.As(err, &status) && status.Code == http.StatusUnauthorized:
		return true
	case errors.As(err, &dial) && dial.Op == "dial" && !dial.Timeout():
		return true
	case !errors.As(err, &e):
		return false
	case e.Code == protocol.CodeUnsupportedRevision:
		return len(supportedBy(err)) > 0 && !slices.ContainsFunc(supportedBy(err), func(rev protocol.Revision) bool {
			return rev.Known() && !rev.Modern()
		})
	}
	return e.Code == protocol.CodeHeaderMismatch || e.Code == protocol.CodeMissingCapability
}

// modernError reports whether an error is one that only a modern server gives.
func modernError(err error) bool {
	var status *StatusError
	var e *protocol.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case protocol.CodeHeaderMismatch, protocol.CodeMissingCapability, protocol.CodeUnsupportedRevision:
		return true
	case protocol.CodeMethodNotFound:
		return errors.As(err, &status) && status.Code == http.StatusNotFound
	}
	return false
}

// supportedBy are the revisions that an error offers instead.
func supportedBy(err error) []protocol.Revision {
	var e *protocol.Error
	var data struct {
		Supported []protocol.Revision `json:"supported"`
	}
	if !errors.As(err, &e) || e.Code != protocol.CodeUnsupportedRevision || json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Supported
}
