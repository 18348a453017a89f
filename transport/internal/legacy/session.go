package legacy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Newest is the latest revision that has sessions.
const Newest = protocol.Rev20251125

// Session is the state of a legacy session on the server side: of a connection,
// or of an HTTP session.
type Session struct {
	Revision protocol.Revision
	meta     protocol.SessionMeta

	mu      sync.Mutex        // guards level, silent and refused
	level   protocol.LogLevel // the least severe level of log messages for the client
	silent  bool              // the server has declared no logging
	refused error             // the error of server/discover, and so of initialize; nil if it succeeded

	resources subscriptions // the resources that the client has subscribed to
}

// Open reads the params of initialize and opens a session in the revision that
// the client asks for. For an unknown revision, or one without sessions, it is Newest.
func Open(params json.RawMessage) (*Session, error) {
	var p struct {
		ProtocolVersion *protocol.Revision          `json:"protocolVersion"`
		Capabilities    protocol.ClientCapabilities `json:"capabilities"`
		ClientInfo      mcp.Implementation          `json:"clientInfo"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params of initialize: %v", err)
		}
	}
	if p.ProtocolVersion == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: initialize needs the member \"protocolVersion\", such as %q", Newest)
	}
	rev := *p.ProtocolVersion
	if !rev.Known() || rev.Modern() {
		rev = Newest
	}
	switch {
	case rev < protocol.Rev20250618:
		p.Capabilities.Elicitation = nil
	case rev < protocol.Rev20251125 && p.Capabilities.Elicitation != nil:
		p.Capabilities.Elicitation = new(protocol.ElicitationCapability) // it has no modes: it is for forms
	}
	//lint:ignore SA1019 every revision must go on working
	if sampling := &p.Capabilities.Sampling; *sampling != nil && rev < protocol.Rev20251125 {
		*sampling = new(protocol.SamplingCapability) // it has neither tools nor context
	}
	delete(p.Capabilities.Extensions, protocol.TasksExtension) // it is not honoured in sessions
	return &Session{
		Revision: rev,
		meta:     protocol.SessionMeta{Client: p.ClientInfo, Capabilities: p.Capabilities},
		level:    protocol.LevelInfo,
	}, nil
}

// End records that no further request of the session will come. It does nothing for a
// nil session.
func (s *Session) End() {
	if s != nil {
		s.meta.End()
	}
}

// Fill completes the meta of a request that belongs to the session.
func (s *Session) Fill(meta protocol.RequestMeta) protocol.RequestMeta {
	s.mu.Lock()
	defer s.mu.Unlock()
	meta.Revision, meta.LogLevel = s.Revision, s.level
	return meta.WithSession(&s.meta)
}

// Check refuses the methods that do not exist in sessions.
func (s *Session) Check(method string) error {
	if method == "server/discover" || method == "subscriptions/listen" {
		return protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: %s does not exist in revision %s", method, s.Revision)
	}
	return nil
}

// Immediate reports whether a method is answered at once, without waiting for
// anything: it may be served before the next message is read.
func Immediate(method string) bool { return method == "ping" || method == "logging/setLevel" }

// Answer serves the requests that belong to the session itself: ping,
// logging/setLevel and the subscriptions to resources. own is false for all others.
// Before a session exists, s is nil and Answer serves only ping.
func (s *Session) Answer(ctx context.Context, d protocol.Dispatcher, req *protocol.Request) (result protocol.Result, err error, own bool) {
	switch {
	case req.Method == "ping" && s == nil:
		return protocol.EmptyResult{}, nil, true
	case req.Method == "ping":
		return protocol.EmptyResult{}, s.Refused(), true
	case s == nil:
		return nil, nil, false
	case req.Method == "logging/setLevel":
		return protocol.EmptyResult{}, s.setLevel(req.Params), true
	case req.Method == "resources/subscribe", req.Method == "resources/unsubscribe":
		return protocol.EmptyResult{}, s.subscribe(ctx, d, req), true
	case strings.HasSuffix(req.Method, "/list"):
		s.resources.awaitOpen(ctx) // so that a change after this list is reported to the client
	}
	return nil, nil, false
}

func (s *Session) setLevel(params json.RawMessage) error {
	var p struct {
		Level protocol.LogLevel `json:"level"`
	}
	if err := json.Unmarshal(params, &p); err != nil || !p.Level.Known() {
		return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: level %q is not one of debug, info, notice, warning, error, critical, alert, emergency", p.Level)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent {
		return protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: the server does not offer log messages")
	}
	s.level = p.Level
	return nil
}

// Initialized returns the result of initialize: the result of server/discover of
// the Dispatcher, in the form of the session's revision.
func (s *Session) Initialized(ctx context.Context, d protocol.Dispatcher, peer protocol.Peer) (protocol.Result, error) {
	info, err := s.Discover(ctx, d, peer)
	s.mu.Lock()
	s.refused = err
	s.silent = err == nil && info.Capabilities.Logging == nil
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return &initializeResult{info: info, rev: s.Revision}, nil
}

// Refused returns the error with which initialize was refused, or nil. Another
// initialize may replace a refused session.
func (s *Session) Refused() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Discover calls server/discover on a dispatcher for the session. It returns an error if the peer is not authorized.
func (s *Session) Discover(ctx context.Context, d protocol.Dispatcher, peer protocol.Peer) (*protocol.DiscoverResult, error) {
	meta := protocol.RequestMeta{Revision: protocol.Latest}.WithSession(&s.meta)
	result, err := d.Dispatch(ctx, &protocol.Request{ID: "0", Method: "server/discover", Meta: meta, Peer: peer})
	if err != nil {
		return nil, err
	}
	wire, err := result.AppendJSON(nil, protocol.Latest)
	if err != nil {
		return nil, err
	}
	info := new(protocol.DiscoverResult)
	return info, json.Unmarshal(wire, info)
}

// initializeResult is the InitializeResult of all older revisions.
type initializeResult struct {
	info *protocol.DiscoverResult
	rev  protocol.Revision
}

// AppendJSON implements protocol.Result.
func (r *initializeResult) AppendJSON(dst []byte, _ protocol.Revision) ([]byte, error) {
	caps := r.info.Capabilities
	if r.rev < protocol.Rev20250326 {
		caps.Completions = nil
	}
	capabilities, err := json.Marshal(withTasksOf(caps, r.rev))
	if err != nil {
		return dst, err
	}
	server, err := json.Marshal(r.info.Server.ForRevision(r.rev))
	if err != nil {
		return dst, err
	}
	dst = append(append(dst, `{"protocolVersion":"`...), r.rev...)
	dst = append(append(dst, `","capabilities":`...), capabilities...)
	dst = append(append(dst, `,"serverInfo":`...), server...)
	if r.info.Instructions != "" {
		dst = jsonx.AppendQuoted(append(dst, `,"instructions":`...), r.info.Instructions)
	}
	return append(dst, '}'), nil
}

// withTasksOf returns capabilities with the tasks of the revision. Revision
// 2025-11-25 has the capability "tasks", in caps.Other; other revisions do not. The
// tasks extension of the latest revision is removed.
func withTasksOf(caps protocol.ServerCapabilities, rev protocol.Revision) protocol.ServerCapabilities {
	if _, extended := caps.Extensions[protocol.TasksExtension]; extended {
		caps.Extensions = maps.Clone(caps.Extensions)
		if delete(caps.Extensions, protocol.TasksExtension); len(caps.Extensions) == 0 {
			caps.Extensions = nil
		}
	}
	if _, older := caps.Other["tasks"]; older && rev != protocol.Rev20251125 {
		caps.Other = maps.Clone(caps.Other)
		delete(caps.Other, "tasks")
	}
	return caps
}

// Asker sends questions as requests of the server to the client, which sessions
// allow, and waits for each answer.
type Asker struct {
	Request func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
}

// Ask implements protocol.Asker. The questions go out in the order of their keys.
func (a Asker) Ask(ctx context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	answers := make(map[string]json.RawMessage, len(questions))
	for _, key := range slices.Sorted(maps.Keys(questions)) {
		q := questions[key]
		answer, err := a.Request(ctx, q.Method, q.Params)
		if err != nil {
			return nil, err
		}
		answers[key] = answer
	}
	return answers, nil
}

// ErrNoSession is the error for a request of an older revision before
// initialize.
var ErrNoSession error = protocol.Errorf(protocol.CodeInvalidParams,
	"Invalid params: the request has no _meta[\"io.modelcontextprotocol/protocolVersion\"]; send it with every request (revision 2026-07-28) or send initialize first (older revisions)")
