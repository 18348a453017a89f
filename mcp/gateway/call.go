package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// subject is the member of params that names the requested tool, prompt or resource.
type subject struct {
	text       string
	start, end int // of its raw value in the params
}

// readSubject finds the member key of params. It refuses params with two candidates, because an
// upstream could read the other one.
func readSubject(method, key string, params json.RawMessage) (subject, error) {
	var found subject
	there := false
	members := jsonx.Object(params)
	for members.Next() {
		name := members.Key()
		if members.Escaped() {
			name = []byte(members.Name())
		}
		if string(name) != key || there {
			if strings.EqualFold(string(name), key) {
				return found, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s has the member %q more than once", method, key)
			}
			continue
		}
		value := members.Value()
		text, err := jsonx.Unquote(value)
		if err != nil {
			return found, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the member %q of %s must be a string", key, method)
		}
		there = true
		found = subject{text, members.End() - len(value), members.End()}
	}
	switch {
	case members.Err() != nil:
		return found, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %v", members.Err())
	case !there:
		return found, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s needs the member %q", method, key)
	}
	return found, nil
}

// replace returns the params with another subject.
func (s subject) replace(params json.RawMessage, text string) json.RawMessage {
	if s.text == text {
		return params
	}
	out := make([]byte, 0, len(params)+len(text)-len(s.text)+8)
	out = jsonx.AppendQuoted(append(out, params[:s.start]...), text)
	return append(out, params[s.end:]...)
}

// callTool serves tools/call.
func (v *view) callTool(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	s, err := readSubject(req.Method, "name", req.Params)
	if err != nil {
		return nil, err
	}
	look := func(t *table) (*toolRoute, bool) { r, ok := t.toolAt[s.text]; return r, ok }
	route, ok := find(ctx, v, look)
	if !ok {
		if m := v.unlisted(s.text); m != nil {
			if result, err := m.logInFirst(ctx, req, s.text); result != nil || err != nil {
				return result, err
			}
		}
		route, ok = find(ctx, v, look) // the login of this call, or one that has ended since, lists it
	}
	if !ok {
		if m := v.unlisted(s.text); m != nil {
			return nil, m.missingLogin()
		}
		return nil, v.unknownNameError("tool", s.text)
	}
	if filter := v.g.opts.Filter; filter != nil {
		if err := filter(ctx, req, route.member.up.Name, route.tool); err != nil {
			return asResult(err)
		}
	}
	params := s.replace(req.Params, route.name)
	wanted, plain, err := wantedTask(params, req.Meta.Revision)
	if err != nil {
		return nil, err
	}
	switch become, err := asTask(req, route, wanted); {
	case err != nil:
		return asResult(err)
	case become:
		return route.member.callAsTask(ctx, req, route, plain, wanted)
	}
	return route.member.forward(ctx, req, plain, mayRepeat(route.tool.Annotations))
}

// mayRepeat reports whether a call may be sent again after its response was lost.
func mayRepeat(a *mcp.ToolAnnotations) bool {
	return a != nil && (a.ReadOnly != nil && *a.ReadOnly || a.Idempotent != nil && *a.Idempotent)
}

// asResult converts an error to the response of a call: a protocol error stays one, other errors
// become a result for the model.
func asResult(err error) (protocol.Result, error) {
	var refused *protocol.Error
	if errors.As(err, &refused) {
		return nil, err // wrapping errors may matter to a transport
	}
	return mcp.ErrorResult(err), nil
}

// unknownNameError returns the error for a name that no upstream has.
func (v *view) unknownNameError(kind, name string) error {
	t := v.table.Load()
	names := slices.Collect(maps.Keys(t.toolAt))
	if kind == "prompt" {
		names = slices.Collect(maps.Keys(t.promptAt))
	}
	name = safeText(name)
	if near := nearest.Name(name, names); near != "" {
		return protocol.Errorf(protocol.CodeInvalidParams, "Unknown %s: %q; did you mean %q?", kind, name, near)
	}
	var gone []string
	for _, m := range v.members {
		if status, _ := m.snapshot(); status.State != Ready {
			gone = append(gone, m.up.Name+" ("+status.reason()+")")
		}
	}
	if gone != nil {
		return protocol.Errorf(protocol.CodeInvalidParams, "Unknown %s: %q; the features of these servers are not known now: %s", kind, name, strings.Join(gone, ", "))
	}
	return protocol.Errorf(protocol.CodeInvalidParams, "Unknown %s: %q; see %ss/list", kind, name, kind)
}

// getPrompt serves prompts/get.
func (v *view) getPrompt(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	s, err := readSubject(req.Method, "name", req.Params)
	if err != nil {
		return nil, err
	}
	route, ok := find(ctx, v, func(t *table) (promptRoute, bool) { r, ok := t.promptAt[s.text]; return r, ok })
	if !ok {
		return nil, v.unknownNameError("prompt", s.text)
	}
	return route.member.forward(ctx, req, s.replace(req.Params, route.name), true)
}

// readResource serves resources/read. For a URI in no list, it asks the upstreams with a matching
// template first, then the others.
func (v *view) readResource(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	s, err := readSubject(req.Method, "uri", req.Params)
	if err != nil {
		return nil, err
	}
	if len(s.text) > maxURI {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the URI has %d bytes; at most %d are allowed", len(s.text), maxURI)
	}
	owners, _ := find(ctx, v, func(t *table) ([]*member, bool) { o := t.owners(s.text); return o, len(o) > 0 })
	if len(owners) == 0 {
		return nil, mcp.ResourceNotFound(s.text)
	}
	var failed error
	for _, m := range owners {
		result, err := m.forward(ctx, req, req.Params, true)
		if err == nil || !isNotFound(err) || ctx.Err() != nil {
			if err == nil || len(owners) == 1 || ctx.Err() != nil {
				return result, err
			}
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, mcp.ResourceNotFound(s.text)
}

// isNotFound reports whether the error of an upstream means that it does not have the resource.
func isNotFound(err error) bool {
	var e *protocol.Error
	return errors.As(err, &e) && (e.Code == protocol.CodeInvalidParams || e.Code == protocol.CodeResourceNotFoundOld)
}

// complete serves completion/complete.
func (v *view) complete(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	at, err := readReference(req.Params)
	if err != nil {
		return nil, err
	}
	var m *member
	params := req.Params
	if at.template {
		m, _ = find(ctx, v, func(t *table) (*member, bool) { m := t.templateAt[at.text]; return m, m != nil })
		if m == nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "Unknown resource template: %q; see resources/templates/list", safeText(at.text))
		}
	} else {
		route, ok := find(ctx, v, func(t *table) (promptRoute, bool) { r, ok := t.promptAt[at.text]; return r, ok })
		if !ok {
			return nil, v.unknownNameError("prompt", at.text)
		}
		m, params = route.member, at.replace(req.Params, route.name)
	}
	return m.forward(ctx, req, params, true)
}

// reference is the ref parameter of a completion.
type reference struct {
	subject
	template bool
}

// readReference finds the ref of completion/complete.
func readReference(params json.RawMessage) (reference, error) {
	var at reference
	wrong := protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: completion/complete needs a ref: {\"type\":\"ref/prompt\",\"name\":…} or {\"type\":\"ref/resource\",\"uri\":…}")
	members := jsonx.Object(params)
	there := false
	for members.Next() {
		if !strings.EqualFold(members.Name(), "ref") {
			continue
		}
		if there {
			return at, wrong
		}
		there = true
		ref, start := members.Value(), members.End()-len(members.Value())
		var kind struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(ref, &kind); err != nil {
			return at, wrong
		}
		key := map[string]string{"ref/prompt": "name", "ref/resource": "uri"}[kind.Type]
		if key == "" {
			return at, wrong
		}
		var err error
		if at.subject, err = readSubject("ref", key, ref); err != nil {
			return at, err
		}
		at.template = key == "uri"
		at.start, at.end = at.start+start, at.end+start
	}
	if !there {
		return at, wrong
	}
	return at, nil
}
