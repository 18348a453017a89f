package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

const (
	// sharedTimeout limits one operation of the shared store.
	sharedTimeout = 5 * time.Second
	// maxRecord is how long the record of a session may be, in bytes.
	maxRecord = 64 << 10
	// maxAttempts is how often a record is changed anew when others change it at
	// the same time.
	maxAttempts = 20
	// touchesPerIdle is how often a session that is used is noted as used within
	// the time after which it would end.
	touchesPerIdle = 8
)

var errRecordTooLong = errors.New("the record of the session is too long")

// record is the shared state of a session, as the SessionStore keeps it in JSON.
type record struct {
	Principal string       `json:"principal"`
	Session   legacy.State `json:"session"`
	Listener  *listenerRef `json:"listener,omitempty"`
	Used      int64        `json:"used"` // Unix time in seconds

	version uint64
}

// listenerRef names the Handler that follows the changes of the session, or was
// the last to do so.
type listenerRef struct {
	Handler string `json:"handler"`
	Stream  int64  `json:"stream"`
}

// recordVersion is the version of the record that a session of a cluster has
// adopted: the session is one of several copies, and the record is the
// original.
type recordVersion struct {
	mu      sync.Mutex
	adopted uint64
}

// adopt applies a newer record to this copy of the session.
func (s *session) adopt(rec *record) {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	if rec.version > s.record.adopted {
		s.record.adopted = rec.version
		s.older.Adopt(rec.Session)
	}
}

// inUse reports whether the session has a running call or a follower of changes.
func (s *session) inUse() bool {
	s.mu.Lock()
	calls := len(s.calls)
	s.mu.Unlock()
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	return calls > 0 || s.changes.stop != nil
}

// create implements backend: it makes the record of a session that has been opened.
func (c *cluster) create(ctx context.Context, s *session) *refusal {
	if c.failed != nil {
		return c.unreachable(ctx, "opening a session", c.failed)
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	rec := &record{Principal: s.principal, Session: s.older.State(), Used: time.Now().Unix()}
	data, err := encodeRecord(rec)
	if err == errRecordTooLong {
		return refuse(http.StatusBadRequest, protocol.CodeInvalidParams, "Invalid params: the client information in initialize is longer than %d bytes; leave out icons and other large members", maxRecord)
	}
	if err == nil {
		rec.version, err = c.shared.CreateSession(ctx, s.id, data)
	}
	if err != nil {
		return c.unreachable(ctx, "opening a session", err)
	}
	s.adopt(rec)
	return nil
}

func encodeRecord(rec *record) ([]byte, error) {
	data, err := json.Marshal(rec)
	if err == nil && len(data) > maxRecord {
		err = errRecordTooLong
	}
	return data, err
}

// load reads the record of a session.
func (c *cluster) load(ctx context.Context, id string) (*record, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if !isName(id) {
		return nil, ErrNoSession
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	data, version, err := c.shared.LoadSession(ctx, id)
	if err != nil {
		return nil, err
	}
	rec := &record{version: version}
	if err := json.Unmarshal(data, rec); err != nil {
		return nil, fmt.Errorf("reading the record of a session: %w", err)
	}
	if !rec.Session.Revision.Known() || rec.Session.Revision.Modern() {
		return nil, fmt.Errorf("the record of a session has the revision %q", rec.Session.Revision)
	}
	return rec, nil
}

// edit changes the record of a session, and this copy accordingly. It returns
// what the record is then. change may be called several times, and may be
// content with the record as it is.
func (c *cluster) edit(ctx context.Context, s *session, change func(*record) (changed bool)) (*record, error) {
	err := ErrSessionChanged
	for range maxAttempts {
		var rec *record
		if rec, err = c.load(ctx, s.id); err != nil {
			break
		}
		if change(rec) {
			rec.Used = time.Now().Unix()
			rec.version, err = c.update(ctx, s.id, rec)
		}
		if err == nil || !errors.Is(err, ErrSessionChanged) {
			if err == nil {
				s.adopt(rec)
			}
			return rec, err
		}
	}
	return nil, err
}

func (c *cluster) update(ctx context.Context, id string, rec *record) (version uint64, err error) {
	data, err := encodeRecord(rec)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	return c.shared.UpdateSession(ctx, id, data, rec.version)
}

// touch refreshes the time of the last use in the record, if it is old. A
// concurrent update by another Handler refreshes it too.
func (c *cluster) touch(ctx context.Context, s *session, rec *record) error {
	if time.Since(time.Unix(rec.Used, 0)) < c.h.opts.SessionIdle/touchesPerIdle {
		return nil
	}
	used := *rec
	used.Used = time.Now().Unix()
	version, err := c.update(ctx, s.id, &used)
	switch {
	case errors.Is(err, ErrSessionChanged):
		return nil
	case err != nil:
		return err
	}
	used.version = version
	s.adopt(&used)
	return nil
}

// enter implements backend: it finds the session of a request, also one that
// another Handler has opened, and counts the request.
func (c *cluster) enter(ctx context.Context, id, principal string) (*session, *refusal) {
	rec, err := c.load(ctx, id)
	switch {
	case errors.Is(err, ErrNoSession):
		c.h.sessions.removeID(id, errSessionEnded)
		return nil, unknownSession()
	case err != nil:
		return nil, c.unreachable(ctx, "looking for a session", err)
	case rec.Principal != principal:
		return nil, unknownSession()
	}
	s := c.h.sessions.enter(id, principal)
	if s == nil {
		copied := &session{h: c.h, id: id, principal: principal, older: legacy.Restore(rec.Session)}
		var refused *refusal
		if s, refused = c.h.sessions.addCopy(copied); refused != nil {
			return nil, refused
		}
	}
	s.adopt(rec)
	if err := c.touch(ctx, s, rec); err != nil {
		c.h.sessions.leave(s)
		if errors.Is(err, ErrNoSession) {
			c.h.sessions.remove(s, errSessionEnded)
			return nil, unknownSession()
		}
		return nil, c.unreachable(ctx, "noting that a session is used", err)
	}
	return s, nil
}

// delete implements backend: it ends a session at every Handler.
func (c *cluster) delete(ctx context.Context, s *session) *refusal {
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	if err := c.shared.DeleteSession(ctx, s.id); err != nil {
		return c.unreachable(ctx, "ending a session", err)
	}
	c.broadcast(relayed{Kind: relayEnded, Session: s.id})
	if err := c.shared.Forget(ctx, s.id); err != nil {
		c.h.opts.Log.WarnContext(ctx, "the events of a session could not be forgotten", "error", err)
	}
	return nil
}

// served implements backend: it writes a new log level or subscription into the
// record, and notifies the Handler that follows the changes of the session.
func (c *cluster) served(ctx context.Context, s *session, req *protocol.Request) error {
	var params struct {
		Level protocol.LogLevel `json:"level"`
		URI   string            `json:"uri"`
	}
	switch req.Method {
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		if err := json.Unmarshal(req.Params, &params); err != nil {
			return nil // unreachable: it was answered
		}
	default:
		return nil
	}
	rec, err := c.edit(ctx, s, func(rec *record) bool {
		state := &rec.Session
		at, there := slices.BinarySearch(state.Resources, params.URI)
		switch {
		case req.Method == "logging/setLevel":
			changed := state.Level != params.Level
			state.Level = params.Level
			return changed
		case there == (req.Method == "resources/subscribe"):
			return false
		case there:
			state.Resources = slices.Delete(state.Resources, at, at+1)
		default:
			state.Resources = slices.Insert(state.Resources, at, params.URI)
		}
		return true
	})
	switch {
	case err == errRecordTooLong:
		return protocol.Errorf(protocol.CodeInvalidParams, "The URIs that the session has subscribed to are too long together; unsubscribe from some first")
	case err != nil:
		c.h.opts.Log.WarnContext(ctx, "a session could not be changed", "method", req.Method, "error", err)
		return protocol.Errorf(protocol.CodeInternal, "The session store of the server cannot be reached; send the request again later")
	}
	if req.Method != "logging/setLevel" && rec.Listener != nil && rec.Listener.Handler != c.name {
		if _, err := c.ask(ctx, rec.Listener.Handler, relayed{Kind: relayAdopt, Session: s.id}); err != nil {
			c.h.opts.Log.DebugContext(ctx, "the handler that follows the changes of a session was not notified of its subscriptions", "error", err)
		}
	}
	return nil
}
