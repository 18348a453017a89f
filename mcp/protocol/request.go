package protocol

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Dispatcher handles one request. An mcp.Server is a Dispatcher, and so is the connection of an mcp.Client.
// Components between them, for example a gateway or a filter, are Dispatchers on both sides.
type Dispatcher interface {
	// Dispatch handles req and returns its result. A protocol error is a *Error. Dispatch may be
	// called concurrently.
	Dispatch(ctx context.Context, req *Request) (Result, error)
}

// Result is the result of a request. It stays typed until it is sent; only AppendJSON depends on
// the revision.
type Result interface {
	// AppendJSON appends the result in the form of revision rev to dst.
	AppendJSON(dst []byte, rev Revision) ([]byte, error)
}

// Notification is a message that is sent before the result of a request.
type Notification interface {
	// Method returns the full name, for example "notifications/progress".
	Method() string
	// AppendParams appends the params object in the form of revision rev to dst.
	AppendParams(dst []byte, rev Revision) []byte
}

// ID is the id of a request as the raw JSON token, byte for byte.
type ID string

// Request is one request in the form of revision 2026-07-28, whatever revision its sender speaks.
type Request struct {
	ID     ID     // ID is the id that the sender chose.
	Method string // Method is the full name, for example "tools/call".
	// Params is the raw params object; nil if absent. The memory is not reused: a handler may keep
	// it, but must not modify it.
	Params json.RawMessage
	Meta   RequestMeta // Meta is the parsed _meta of the request.
	Peer   Peer        // Peer is the sender.
	// Notify sends a notification before the result, in order. It is nil if the transport cannot
	// send notifications for the request. It returns an error after Dispatch has returned.
	Notify func(context.Context, Notification) error
	// Asker sends questions to the client while the request runs. Nil means replay: the request
	// ends as input_required and arrives again with the answers (2026-07-28, basic/patterns/mrtr).
	Asker Asker
}

// Peer is the sender of a request. Two requests of one peer may belong to different conversations.
type Peer struct {
	Principal string      // Principal is the authenticated identity; empty without authentication.
	Transport string      // Transport is "stdio", "tcp", "http" and so on.
	Address   string      // Address is the network address of the peer, if any.
	Headers   http.Header // Headers are the HTTP headers of the request, if any.
}

// RequestMeta is the parsed _meta of a request (2026-07-28, basic, "_meta"). For older revisions it
// holds the values that were agreed in the session.
type RequestMeta struct {
	Revision Revision // Revision is the revision that the sender speaks.
	// LogLevel is the minimum level of the requested log notifications. Empty requests none.
	LogLevel LogLevel
	// ProgressToken requests progress notifications. It is a raw JSON string or integer; nil if
	// absent.
	ProgressToken json.RawMessage
	// Raw is the whole _meta object; nil if absent.
	Raw json.RawMessage

	client                json.RawMessage // clientInfo of the request
	capabilities          json.RawMessage // clientCapabilities of the request
	forwardedCapabilities json.RawMessage // see WithForwardedCapabilities
	session               *SessionMeta    // nil for a modern request
}

// SessionMeta holds the values that a client of an older revision sent once for all requests of its
// session.
type SessionMeta struct {
	Client       Implementation     // Client describes the client.
	Capabilities ClientCapabilities // Capabilities are the client's capabilities.

	values sync.Map // of Value

	mu    sync.Mutex
	ended bool
	onEnd map[any]func() // functions of OnEnd, by key; nil after the end
}

// Value returns the value of key, which compute returns at the first call. It is kept as long as the
// session. Concurrent first calls may all run compute, and return the same value. If compute is nil, a
// value that does not exist is nil.
func (s *SessionMeta) Value(key any, compute func() any) any {
	if v, ok := s.values.Load(key); ok || compute == nil {
		return v
	}
	v, _ := s.values.LoadOrStore(key, compute())
	return v
}

// End marks the session as ended and calls the functions of OnEnd. A transport calls it when no
// further request of the session can arrive.
func (s *SessionMeta) End() {
	s.mu.Lock()
	ends := s.onEnd
	s.ended, s.onEnd = true, nil
	s.mu.Unlock()
	for _, f := range ends {
		f()
	}
}

// Ended reports whether the session has ended. Its requests may still run.
func (s *SessionMeta) Ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// OnEnd registers f to be called once when the session ends. It returns false, and does not
// register f, if the session has ended or key has a function already. A session whose store is
// shared by several instances may never end here. f must not block.
func (s *SessionMeta) OnEnd(key any, f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, given := s.onEnd[key]; given || s.ended {
		return false
	}
	if s.onEnd == nil {
		s.onEnd = make(map[any]func())
	}
	s.onEnd[key] = f
	return true
}

// WithSession returns a copy of m with the values of a session.
func (m RequestMeta) WithSession(s *SessionMeta) RequestMeta {
	m.session = s
	return m
}

// Session returns the values of the sender's session, or nil for an independent request
// (2026-07-28). Requests of one session return the same pointer.
func (m *RequestMeta) Session() *SessionMeta { return m.session }

// Client returns the client's description of itself. It may be empty or false: use it for display
// and logs only.
func (m *RequestMeta) Client() Implementation {
	if m.session != nil {
		return m.session.Client
	}
	var impl Implementation
	if m.client != nil && json.Unmarshal(m.client, &impl) != nil {
		return Implementation{}
	}
	return impl
}

// ClientName returns the name of Client, without decoding the other members.
func (m *RequestMeta) ClientName() string {
	if m.session != nil {
		return m.session.Client.Name
	}
	raw := jsonx.Member(m.client, "name")
	if raw == nil {
		return ""
	}
	name, err := jsonx.Unquote(raw)
	if err != nil {
		return ""
	}
	return name
}

// Capabilities returns the capabilities of the client for this request.
func (m *RequestMeta) Capabilities() ClientCapabilities {
	if m.session != nil {
		return m.session.Capabilities
	}
	var caps ClientCapabilities
	if m.capabilities != nil && json.Unmarshal(m.capabilities, &caps) != nil {
		return ClientCapabilities{}
	}
	return caps
}

// Value returns the raw value of a _meta key, for example "traceparent", or nil.
func (m *RequestMeta) Value(key string) json.RawMessage {
	members := jsonx.Object(m.Raw)
	for m.Raw != nil && members.Next() {
		if members.Name() == key {
			return members.Value()
		}
	}
	return nil
}

// MetaServerInfo is the key in the _meta of a result with name and version of the server.
const MetaServerInfo = metaPrefix + "serverInfo"

// Keys of a _meta object that the protocol defines.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaRevision     = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaClient       = metaPrefix + "clientInfo"
	metaLogLevel     = metaPrefix + "logLevel"
	metaSubscription = metaPrefix + "subscriptionId"
	metaProgress     = "progressToken"
)

// ReadMeta parses the _meta of a request's params. Revision is empty if the request has none, as in
// older revisions. A member of the wrong type is a *Error.
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

// read parses one member of _meta. Unknown members are ignored.
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

// HasCapabilities reports whether the request itself declares capabilities, as modern requests
// must.
func (m *RequestMeta) HasCapabilities() bool { return m.capabilities != nil }

// readRevision decodes a JSON string. It does not allocate for known revisions.
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

// isToken reports whether value is a JSON string or integer.
func isToken(value json.RawMessage) bool {
	if value[0] == '"' {
		return true
	}
	_, integer, err := jsonx.Number(value, 0)
	return err == nil && integer
}
