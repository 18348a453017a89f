package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	maxPages    = 10_000
	maxProblems = 100 // limit of recorded problems of an upstream
	maxSaid     = 8 << 10
)

// lists are the valid features of an upstream.
type lists struct {
	info      *protocol.DiscoverResult // instructions, capabilities and name of the upstream
	revision  protocol.Revision
	tools     []mcp.Tool
	prompts   []mcp.Prompt
	resources []mcp.Resource
	templates []mcp.ResourceTemplate
	told      bool     // the upstream sends change notifications
	problems  []string // omitted items with the reason
	read      int64    // time of the last reading, in Unix seconds
}

// reader reads the lists of an upstream.
type reader struct {
	link  *link
	items int                  // limit of items of each list
	bytes int                  // bytes that the remaining lists may have
	into  *lists               // receives the items
	meta  protocol.RequestMeta // metadata of the requests; has a revision if the upstream is in the process
	// declared are the capabilities of the connection.
	declared json.RawMessage
}

// read reads all lists that the upstream has.
func (m *member) read(ctx context.Context, l *link) (*lists, error) {
	info := *l.conn.Discovered()
	r := &reader{link: l, declared: encoded(m.host().Capabilities), items: m.g.opts.MaxItems, bytes: m.g.opts.MaxListBytes, into: &lists{info: &info, revision: l.conn.Revision(), read: now()}}
	if len(info.Instructions) > maxSaid {
		info.Instructions = info.Instructions[:maxSaid] + " …"
		r.problem("its instructions are cut short: they have more than %d bytes", maxSaid)
	}
	var err error
	caps := info.Capabilities
	if caps.Tools != nil {
		r.into.tools, err = r.readTools(ctx)
		r.meta = protocol.RequestMeta{}
	}
	if caps.Prompts != nil && err == nil {
		r.into.prompts, err = readList(ctx, r, "prompts/list", "prompts", "prompt", isLabel, func(p *mcp.Prompt) string { return p.Name })
	}
	if caps.Resources != nil && err == nil {
		r.into.resources, err = readList(ctx, r, "resources/list", "resources", "resource", isURI, func(x *mcp.Resource) string { return x.URI })
		if err == nil {
			r.into.templates, err = readList(ctx, r, "resources/templates/list", "resourceTemplates", "template", isURI, func(x *mcp.ResourceTemplate) string { return x.URITemplate })
		}
	}
	return r.into, err
}

func (r *reader) problem(format string, args ...any) {
	switch n := len(r.into.problems); {
	case n < maxProblems-1:
		r.into.problems = append(r.into.problems, safeText(fmt.Sprintf(format, args...)))
	case n == maxProblems-1:
		r.into.problems = append(r.into.problems, "and more")
	}
}

// errListChanged reports a change during the reading of a list.
var errListChanged = errors.New("the list has changed while it was read")

// readList reads one list. It starts again, a few times, if the list changes meanwhile. A missing
// method means an empty list.
func readList[T any](ctx context.Context, r *reader, method, member, kind string, fit func(string) bool, key func(*T) string) ([]T, error) {
	for attempt := 0; ; attempt++ {
		items, err := readPages(ctx, r, method, member, kind, fit, key)
		var refused *protocol.Error
		switch {
		case err == nil:
			return items, nil
		case errors.Is(err, errListChanged) && attempt < 3:
		case errors.As(err, &refused) && refused.Code == protocol.CodeMethodNotFound:
			return nil, nil
		default:
			return nil, fmt.Errorf("reading %s: %w", method, err)
		}
	}
}

func readPages[T any](ctx context.Context, r *reader, method, member, kind string, fit func(string) bool, key func(*T) string) ([]T, error) {
	var items []T
	seen := make(map[string]bool)
	cursors := make(map[string]bool)
	params := json.RawMessage(nil)
	for range maxPages {
		raw, next, err := r.page(ctx, method, member, params)
		if err != nil {
			return nil, err
		}
		for _, one := range raw {
			var item T
			if err := json.Unmarshal(one, &item); err != nil {
				r.problem("a %s is left out: %v", kind, err)
				continue
			}
			name := key(&item)
			switch {
			case !fit(name):
				r.problem("the %s %.100q is left out: its name is not as it must be", kind, name)
				continue
			case seen[name]:
				r.problem("the %s %.100q is listed twice; the first counts", kind, name)
				continue
			case len(items) == r.items:
				r.problem("there are more than %d of %s; the others are left out", r.items, member)
				return items, nil
			}
			if tool, ok := any(&item).(*mcp.Tool); ok {
				if tool.InputSchema, ok = objectSchema(tool.InputSchema); !ok {
					r.problem("the tool %.100q is left out: its inputSchema is not a JSON Schema of an object", name)
					continue
				}
			}
			seen[name] = true
			items = append(items, item)
		}
		if next == nil {
			return items, nil
		}
		if cursors[*next] {
			return nil, fmt.Errorf("it gives the same cursor again")
		}
		cursors[*next] = true
		params = append(jsonx.AppendQuoted([]byte(`{"cursor":`), *next), '}')
	}
	return nil, fmt.Errorf("it has more than %d pages", maxPages)
}

// page reads one page of a list.
func (r *reader) page(ctx context.Context, method, member string, params json.RawMessage) (items []json.RawMessage, next *string, err error) {
	result, err := r.link.askAs(ctx, method, params, r.meta, nil)
	if err != nil {
		var refused *protocol.Error
		if params != nil && errors.As(err, &refused) && refused.Code == protocol.CodeInvalidParams {
			err = errListChanged
		}
		return nil, nil, err
	}
	rev := protocol.Latest
	if r.meta.Revision != "" {
		rev = r.meta.Revision
	}
	wire, err := result.AppendJSON(nil, rev)
	if err != nil {
		return nil, nil, err
	}
	if r.bytes -= len(wire); r.bytes < 0 {
		return nil, nil, errors.New("its lists are too large; see Options.MaxListBytes")
	}
	var page map[string]json.RawMessage
	if err := json.Unmarshal(wire, &page); err != nil {
		return nil, nil, fmt.Errorf("the answer is not an object: %w", err)
	}
	if page[member] == nil {
		return nil, nil, fmt.Errorf("the answer has no %q", member)
	}
	if err := json.Unmarshal(page[member], &items); err != nil {
		return nil, nil, fmt.Errorf("%q is not an array: %w", member, err)
	}
	if cursor := page["nextCursor"]; cursor != nil {
		if err := json.Unmarshal(cursor, &next); err != nil {
			return nil, nil, fmt.Errorf("the cursor is not a string: %w", err)
		}
	}
	return items, next, nil
}

// objectSchema returns the schema of a tool's arguments with the type object, which clients require. ok is false for a schema of
// another type, or with members of another form: some clients reject a whole list because of one.
func objectSchema(schema json.RawMessage) (_ json.RawMessage, ok bool) {
	if len(schema) == 0 || schema[0] != '{' {
		return nil, false
	}
	var parts struct {
		Type       json.RawMessage            `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(schema, &parts); err != nil {
		return nil, false
	}
	switch {
	case string(parts.Type) == `"object"`:
		return schema, true
	case parts.Type != nil:
		return nil, false
	}
	rest := schema[jsonx.Space(schema, 1):]
	if rest[0] == '}' {
		return json.RawMessage(`{"type":"object"}`), true
	}
	return append(json.RawMessage(`{"type":"object",`), rest...), true
}
