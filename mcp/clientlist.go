package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"

	"github.com/dougu-go/dougu/internal/jsonx"
)

const (
	// maxPages is how many pages a list may have: a server must not keep a
	// client listing for ever.
	maxPages = 10_000
	// maxNames is how many names are remembered in case that a list has to be
	// started over.
	maxNames = 100_000
)

// Tools iterates over the server's tools, page by page (2026-07-28,
// server/tools). Like the other lists it comes from the cache for as long as the
// server allows, and a list that changes in the middle, so that the server
// refuses to go on, is started over without naming anything twice.
func (c *Client) Tools(ctx context.Context) iter.Seq2[Tool, error] {
	return iterate(ctx, c, "tools/list", "tools", func(t *Tool) string { return t.Name })
}

// Resources iterates over the resources that the server lists (2026-07-28,
// server/resources). It may have others, see Templates.
func (c *Client) Resources(ctx context.Context) iter.Seq2[Resource, error] {
	return iterate(ctx, c, "resources/list", "resources", func(r *Resource) string { return r.URI })
}

// Templates iterates over the server's resource templates (2026-07-28,
// server/resources, "Resource Templates").
func (c *Client) Templates(ctx context.Context) iter.Seq2[ResourceTemplate, error] {
	return iterate(ctx, c, "resources/templates/list", "resourceTemplates", func(t *ResourceTemplate) string { return t.URITemplate })
}

// Prompts iterates over the server's prompts (2026-07-28, server/prompts).
func (c *Client) Prompts(ctx context.Context) iter.Seq2[Prompt, error] {
	return iterate(ctx, c, "prompts/list", "prompts", func(p *Prompt) string { return p.Name })
}

// listPart is one page of a list as it is received. An empty cursor is one, and
// differs from none.
type listPart[T any] struct {
	member string
	items  []T
	next   *string
}

// UnmarshalJSON reads the member that holds the items.
func (p *listPart[T]) UnmarshalJSON(data []byte) error {
	members := jsonx.Object(data)
	for members.Next() {
		var err error
		switch members.Name() {
		case p.member:
			err = unmarshal(members.Value(), &p.items)
		case "nextCursor":
			err = unmarshal(members.Value(), &p.next)
		}
		if err != nil {
			return err
		}
	}
	return members.Err()
}

// iterate goes through a list, whose items name tells apart.
func iterate[T any](ctx context.Context, c *Client, method, member string, name func(*T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		w := walk{c: c, method: method, seed: maphash.MakeSeed()}
		for range maxPages {
			part := listPart[T]{member: member}
			again, err := w.page(ctx, &part)
			if err != nil {
				yield(zero, err)
				return
			}
			if again {
				continue
			}
			for i := range part.items {
				if w.fresh(name(&part.items[i])) && !yield(part.items[i], nil) {
					return
				}
			}
			if part.next == nil {
				return
			}
			if err := w.turn(part.next); err != nil {
				yield(zero, err)
				return
			}
		}
		yield(zero, fmt.Errorf("%s: the server's list has more than %d pages", method, maxPages))
	}
}

// walk is the way through the pages of a list.
type walk struct {
	c       *Client
	method  string
	cursor  *string
	cursors map[uint64]struct{} // that were followed since the start
	names   map[string]struct{}
	seed    maphash.Seed
	again   bool // the list was started over
}

// page asks for the next page. A cursor that the server refuses means that the
// list has changed: again tells to start over, which is tried once.
func (w *walk) page(ctx context.Context, part json.Unmarshaler) (again bool, err error) {
	params := []byte(`{`)
	if w.cursor != nil {
		params = jsonx.AppendQuoted(append(params, `"cursor":`...), *w.cursor)
	}
	err = w.c.fetch(ctx, w.method, "", params, nil, part)
	if err == nil {
		return false, nil
	}
	var refused *Error
	if w.cursor != nil && errors.As(err, &refused) && refused.Code == CodeInvalidParams {
		w.c.cache.dropMethod(w.method)
		if !w.again && len(w.names) < maxNames {
			w.again, w.cursor, w.cursors = true, nil, nil
			return true, nil
		}
	}
	return false, fmt.Errorf("%s: %w", w.method, err)
}

// fresh reports whether a name was not listed before the list was started over.
func (w *walk) fresh(name string) bool {
	if w.again {
		_, seen := w.names[name]
		return !seen
	}
	if w.names == nil {
		w.names = make(map[string]struct{})
	}
	if len(w.names) < maxNames {
		w.names[name] = struct{}{}
	}
	return true
}

// turn goes on to the page of a cursor.
func (w *walk) turn(cursor *string) error {
	hash := maphash.String(w.seed, *cursor)
	if _, seen := w.cursors[hash]; seen {
		return fmt.Errorf("%s: the server gives the same cursor again", w.method)
	}
	if w.cursors == nil {
		w.cursors = make(map[uint64]struct{})
	}
	w.cursors[hash] = struct{}{}
	w.cursor = cursor
	return nil
}
