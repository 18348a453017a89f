package legacy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Agreement is the result of a handshake.
type Agreement struct {
	Revision protocol.Revision
	Info     *protocol.DiscoverResult
}

type (
	callFunc   func(ctx context.Context, method string, params []byte) ([]byte, error)
	notifyFunc func(method string, params []byte) error
)

const (
	// defaultProbe is how long a server has to answer server/discover, before an older revision is tried.
	// It is at most three quarters of the time limit of the host, so that time remains for initialize.
	defaultProbe = 5 * time.Second
	// onlyProbe is the same where no older revision is to be tried. It is at most the time limit of the
	// host.
	onlyProbe = time.Minute
)

// Negotiate finds the revision of a server. It sends server/discover first. If
// the response is not that of a modern server, it opens a session with
// initialize (2026-07-28, basic/transports/stdio, "Backward Compatibility").
// Other errors and a missing response mean a legacy server, because legacy
// servers respond to an unknown method in different ways or not at all.
//
// All requests together take at most host.Timeout, unless host.ProbeTimeout is
// set: then initialize has its own host.Timeout.
func Negotiate(ctx context.Context, host *protocol.Host, call callFunc, notify notifyFunc) (*Agreement, error) {
	if host.Revision != "" && !host.Revision.Known() {
		return nil, fmt.Errorf("the revision %q is not one that exists", host.Revision)
	}
	if host.Timeout > 0 && host.ProbeTimeout <= 0 {
		method := "initialize"
		if host.Revision.Modern() {
			method = "server/discover"
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, host.Timeout, &mcp.TimeoutError{Method: method, After: host.Timeout})
		defer cancel()
	}
	if host.Revision != "" && !host.Revision.Modern() {
		return initialize(ctx, host, call, notify, host.Revision)
	}
	agreed, older, err := discover(ctx, host, call)
	switch {
	case agreed != nil:
		return agreed, nil
	case host.Revision != "":
		return nil, fmt.Errorf("the server does not speak revision %s: %w", host.Revision, err)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return initialize(ctx, host, call, notify, older)
}

// discover sends server/discover. If the server is not modern, agreed is nil,
// older is the revision to offer in initialize, and err is the server's error.
func discover(ctx context.Context, host *protocol.Host, call callFunc) (agreed *Agreement, older protocol.Revision, err error) {
	timeout := host.ProbeTimeout
	switch {
	case timeout > 0:
	case host.Revision != "":
		timeout = onlyProbe
	case host.Timeout > 0:
		timeout = min(defaultProbe, host.Timeout/4*3)
	default:
		timeout = defaultProbe
	}
	probe, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	params := append(append([]byte(`{"_meta":{`), RequestMeta(host)...), `}}`...)
	raw, err := call(probe, "server/discover", params)
	if err != nil {
		return nil, supportedInstead(err), err
	}
	info := new(protocol.DiscoverResult)
	if err := json.Unmarshal(raw, info); err != nil {
		return nil, Newest, err
	}
	if slices.Contains(info.Supported, protocol.Latest) {
		return &Agreement{Revision: protocol.Latest, Info: info}, "", nil
	}
	return nil, newestOf(info.Supported), fmt.Errorf("it supports %v", info.Supported)
}

// supportedInstead is the older revision that a modern error offers.
func supportedInstead(err error) protocol.Revision {
	var e *protocol.Error
	var data struct {
		Supported []protocol.Revision `json:"supported"`
	}
	if errors.As(err, &e) && e.Data != nil && json.Unmarshal(e.Data, &data) == nil {
		return newestOf(data.Supported)
	}
	return Newest
}

// newestOf is the newest revision with sessions that is known here and in the
// list; an empty or foreign list makes no difference.
func newestOf(list []protocol.Revision) protocol.Revision {
	for _, rev := range protocol.Revisions() {
		if !rev.Modern() && slices.Contains(list, rev) {
			return rev
		}
	}
	return Newest
}

// initialize opens a session.
func initialize(ctx context.Context, host *protocol.Host, call callFunc, notify notifyFunc, rev protocol.Revision) (*Agreement, error) {
	if host.Timeout > 0 && host.ProbeTimeout > 0 {
		late := &mcp.TimeoutError{Method: "initialize", After: host.Timeout}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, host.Timeout, late)
		defer cancel()
	}
	raw, err := call(ctx, "initialize", initializeParams(host, rev))
	var e *protocol.Error
	if errors.As(err, &e) && e.Data != nil && host.Revision == "" {
		// Some servers return an error for an unknown revision that lists the
		// revisions they support.
		if other := supportedInstead(err); other != rev {
			rev = other
			raw, err = call(ctx, "initialize", initializeParams(host, rev))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("initializing a session: %w", err)
	}
	var result struct {
		ProtocolVersion protocol.Revision           `json:"protocolVersion"`
		Capabilities    protocol.ServerCapabilities `json:"capabilities"`
		ServerInfo      mcp.Implementation          `json:"serverInfo"`
		Instructions    string                      `json:"instructions"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("reading the result of initialize: %w", err)
	}
	got := result.ProtocolVersion
	if !got.Known() || got.Modern() || host.Revision != "" && got != host.Revision {
		return nil, fmt.Errorf("the server answers initialize with revision %q, which was not requested or is not supported here", got)
	}
	if err := notify("notifications/initialized", []byte(`{}`)); err != nil {
		return nil, err
	}
	return &Agreement{Revision: got, Info: &protocol.DiscoverResult{
		Server: result.ServerInfo, Supported: []protocol.Revision{got},
		Capabilities: result.Capabilities, Instructions: result.Instructions,
	}}, nil
}

func initializeParams(host *protocol.Host, rev protocol.Revision) []byte {
	caps := host.Capabilities
	if rev < protocol.Rev20250618 {
		caps.Elicitation = nil
	}
	if caps.Elicitation != nil && rev < protocol.Rev20251125 {
		caps.Elicitation = new(protocol.ElicitationCapability)
	}
	//lint:ignore SA1019 every revision must go on working
	if sampling := &caps.Sampling; *sampling != nil && rev < protocol.Rev20251125 {
		*sampling = new(protocol.SamplingCapability)
	}
	params, err := json.Marshal(map[string]any{
		"protocolVersion": rev, "capabilities": caps, "clientInfo": host.Info.ForRevision(rev),
	})
	if err != nil {
		return []byte(`{}`) // unreachable: all three always encode
	}
	return params
}

// RequestMeta is the inside of the _meta object that every modern request has.
func RequestMeta(host *protocol.Host) []byte {
	offer := host.Capabilities
	//lint:ignore SA1019 every revision must go on working
	if roots := &offer.Roots; *roots != nil {
		*roots = new(protocol.RootsCapability) // the client sends no roots/list_changed
	}
	caps, err := json.Marshal(offer)
	if err != nil {
		caps = []byte(`{}`)
	}
	info, err := json.Marshal(host.Info)
	if err != nil {
		info = []byte(`{"name":"","version":""}`)
	}
	meta := append([]byte(`"io.modelcontextprotocol/protocolVersion":"`), protocol.Latest...)
	meta = append(append(meta, `","io.modelcontextprotocol/clientCapabilities":`...), caps...)
	return append(append(meta, `,"io.modelcontextprotocol/clientInfo":`...), info...)
}
