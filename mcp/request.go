package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Dispatcher answers one request. A Server is one, and so is the connection of
// a Client: what stands between them, such as a gateway or a filter, is one on
// both sides.
//
// Dispatch returns a *Error for a protocol error. It is called concurrently.
type Dispatcher interface {
	Dispatch(ctx context.Context, req *Request) (Result, error)
}

// Result is what a request is answered with. It stays typed until it is
// written: AppendJSON is the only place that knows which revision has which
// member.
type Result interface {
	AppendJSON(dst []byte, rev Revision) ([]byte, error)
}

// Notification is what is said before a request's result.
type Notification interface {
	// Method is the full name, such as "notifications/progress".
	Method() string
	// AppendParams appends the params object as the revision has it.
	AppendParams(dst []byte, rev Revision) []byte
}

// ID is the raw JSON token of a request's id, byte for byte.
type ID string

// Request is one request, in the form of revision 2026-07-28 whatever its
// sender speaks.
type Request struct {
	ID     ID
	Method string
	// Params is the raw params object, nil when absent. It is never reused: a
	// handler may keep it, and must not change it.
	Params json.RawMessage
	Meta   RequestMeta
	Peer   Peer
	// Notify sends a notification before the result, in order. It is nil where
	// nobody listens, and returns an error once Dispatch has returned.
	Notify func(context.Context, Notification) error
	// Asker puts questions to the client while the request runs. Nil means
	// replay: the request ends as input_required and comes again with answers
	// (2026-07-28, basic/patterns/mrtr).
	Asker Asker
}

// Peer says who sent a request and how. It does not identify a conversation:
// two requests of one peer may belong to different ones.
type Peer struct {
	Principal string      // who was authenticated; empty where nobody was
	Transport string      // "stdio", "tcp", "http" …
	Address   string      // of the peer, where there is one
	Headers   http.Header // of the request, where there are any
}

type principalKey struct{}

// WithPrincipal returns a context in which principal has been authenticated:
// what checks credentials in front of a transport tells it so.
func WithPrincipal(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// PrincipalFrom returns who was authenticated in ctx, or "".
func PrincipalFrom(ctx context.Context) string {
	principal, _ := ctx.Value(principalKey{}).(string)
	return principal
}

type permissionsKey struct{}

// WithPermissions returns a context whose caller was given these permissions and
// no others, by the credentials that it has shown: a token, for example.
func WithPermissions(ctx context.Context, permissions []string) context.Context {
	return context.WithValue(ctx, permissionsKey{}, slices.Clone(permissions))
}

// PermissionsFrom returns what WithPermissions has said. ok is false when
// nothing was: then the principal alone decides.
func PermissionsFrom(ctx context.Context) (permissions []string, ok bool) {
	permissions, ok = ctx.Value(permissionsKey{}).([]string)
	return permissions, ok
}

// RequestMeta is what a request says about itself (2026-07-28, basic, "_meta").
// For peers of older revisions it holds what their session has agreed on.
type RequestMeta struct {
	Revision Revision
	// LogLevel asks for log notifications at or above it; empty means none.
	LogLevel LogLevel
	// ProgressToken asks for progress notifications: a raw JSON string or
	// integer, nil when absent.
	ProgressToken json.RawMessage
	// Raw is the whole _meta object, nil when absent.
	Raw json.RawMessage

	client       json.RawMessage
	capabilities json.RawMessage
	behalf       json.RawMessage // see OnBehalf
	session      *SessionMeta
}

// SessionMeta is what a peer of an older revision said once, for all of its
// requests.
type SessionMeta struct {
	Client       Implementation
	Capabilities ClientCapabilities

	mu    sync.Mutex
	ended bool
	ends  map[any]func()
}

// End notes that the session has ended. Transports call it, when no request of
// the session will come any more.
func (s *SessionMeta) End() {
	s.mu.Lock()
	ends := s.ends
	s.ended, s.ends = true, nil
	s.mu.Unlock()
	for _, f := range ends {
		f()
	}
}

// Ended reports whether the session has ended. Requests of it may still run.
func (s *SessionMeta) Ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// OnEnd has f called once, when the session ends. It reports whether it will be:
// not if the session has ended, or f was given for the same key before. Sessions
// that are kept elsewhere, where several instances share them, may never end
// here. f must not block.
func (s *SessionMeta) OnEnd(key any, f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, given := s.ends[key]; given || s.ended {
		return false
	}
	if s.ends == nil {
		s.ends = make(map[any]func())
	}
	s.ends[key] = f
	return true
}

// WithSession returns the meta with what the peer's session has agreed on.
func (m RequestMeta) WithSession(s *SessionMeta) RequestMeta {
	m.session = s
	return m
}

// Session is what the peer's session has agreed on, or nil for a request that
// stands alone (2026-07-28). Requests of one session have the same pointer.
func (m *RequestMeta) Session() *SessionMeta { return m.session }

// Client is who the client says it is. It is self-reported and may be absent:
// nothing must depend on it.
func (m *RequestMeta) Client() Implementation {
	if m.session != nil {
		return m.session.Client
	}
	var impl Implementation
	if m.client != nil && unmarshal(m.client, &impl) != nil {
		return Implementation{}
	}
	return impl
}

// Capabilities is what the client can do for this request.
func (m *RequestMeta) Capabilities() ClientCapabilities {
	if m.session != nil {
		return m.session.Capabilities
	}
	var caps ClientCapabilities
	if m.capabilities != nil && unmarshal(m.capabilities, &caps) != nil {
		return ClientCapabilities{}
	}
	return caps
}

// Value returns the raw value of a _meta key, such as "traceparent", or nil.
func (m *RequestMeta) Value(key string) json.RawMessage {
	members := jsonx.Object(m.Raw)
	for m.Raw != nil && members.Next() {
		if members.Name() == key {
			return members.Value()
		}
	}
	return nil
}

// The keys of a request's _meta that the protocol defines.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaRevision     = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaClient       = metaPrefix + "clientInfo"
	metaServer       = metaPrefix + "serverInfo"
	metaLogLevel     = metaPrefix + "logLevel"
	metaSubscription = metaPrefix + "subscriptionId"
	metaProgress     = "progressToken"
)

// ReadMeta reads the _meta of a request's params. Its Revision is empty when
// the request does not name one, as those of older revisions never do. What is
// there must be of the right type, else a *Error tells what is wrong.
func ReadMeta(params json.RawMessage) (RequestMeta, error) {
	var meta RequestMeta
	if len(params) == 0 {
		return meta, nil
	}
	members := jsonx.Object(params)
	for members.Next() {
		if string(members.Key()) == "_meta" && !isNull(members.Value()) {
			meta.Raw = members.Value()
			break
		}
	}
	if meta.Raw == nil {
		return meta, nil
	}
	if meta.Raw[0] != '{' {
		return meta, Errorf(CodeInvalidParams, "Invalid params: _meta must be an object")
	}
	members = jsonx.Object(meta.Raw)
	for members.Next() {
		key := members.Key()
		if members.Escaped() {
			key = []byte(members.Name())
		}
		if err := meta.read(key, members.Value()); err != nil {
			return meta, err
		}
	}
	return meta, nil
}

func (m *RequestMeta) read(key []byte, value json.RawMessage) error {
	switch string(key) {
	case metaRevision:
		var err error
		if m.Revision, err = readRevision(value); err != nil {
			return Errorf(CodeInvalidParams, "Invalid params: _meta[%q] must be a string", key)
		}
	case metaCapabilities:
		if value[0] != '{' {
			return Errorf(CodeInvalidParams, "Invalid params: _meta[%q] must be an object", key)
		}
		m.capabilities = value
	case metaClient:
		if value[0] != '{' {
			return Errorf(CodeInvalidParams, "Invalid params: _meta[%q] must be an object", key)
		}
		m.client = value
	case metaLogLevel:
		s, err := jsonx.Unquote(value)
		if m.LogLevel = LogLevel(s); err != nil || !m.LogLevel.Known() {
			return Errorf(CodeInvalidParams, "Invalid params: _meta[%q] must be one of %s", key, logLevelNames())
		}
	case metaProgress:
		if !isToken(value) {
			return Errorf(CodeInvalidParams, "Invalid params: _meta.progressToken must be a string or an integer")
		}
		m.ProgressToken = value
	}
	return nil
}

// HasCapabilities reports whether the request itself declares capabilities, as
// every modern one must.
func (m *RequestMeta) HasCapabilities() bool { return m.capabilities != nil }

// readRevision reads a JSON string; the revisions that exist cost no allocation.
func readRevision(value json.RawMessage) (Revision, error) {
	if len(value) > 2 && value[0] == '"' {
		for _, rev := range revisions {
			if string(value[1:len(value)-1]) == string(rev) {
				return rev, nil
			}
		}
	}
	s, err := jsonx.Unquote(value)
	return Revision(s), err
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

// isToken reports whether value is a string or an integer.
func isToken(value json.RawMessage) bool {
	if value[0] == '"' {
		return true
	}
	_, integer, err := jsonx.Number(value, 0)
	return err == nil && integer
}
