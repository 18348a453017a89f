package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxPages limits the pages of a list, so that a server cannot keep a client busy without end.
	maxPages = 10_000
	// maxNames limits the item names that are remembered for a restart of the list.
	maxNames = 100_000
)

// Tools iterates over the server's tools, page by page (2026-07-28, server/tools). Pages come from
// the cache for as long as the server allows. If the server rejects a cursor because the list has
// changed, the iteration restarts once and skips items that it has already yielded. Resources,
// Templates and Prompts behave alike.
func (c *Client) Tools(ctx context.Context) iter.Seq2[Tool, error] {
	return iterateList(ctx, c, "tools/list", "tools", func(t *Tool) string { return t.Name })
}

// Resources iterates over the resources that the server lists (2026-07-28, server/resources). A
// server may have further resources; see Templates.
func (c *Client) Resources(ctx context.Context) iter.Seq2[Resource, error] {
	return iterateList(ctx, c, "resources/list", "resources", func(r *Resource) string { return r.URI })
}

// Templates iterates over the server's resource templates (2026-07-28, server/resources, "Resource
// Templates").
func (c *Client) Templates(ctx context.Context) iter.Seq2[ResourceTemplate, error] {
	return iterateList(ctx, c, "resources/templates/list", "resourceTemplates", func(t *ResourceTemplate) string { return t.URITemplate })
}

// Prompts iterates over the server's prompts (2026-07-28, server/prompts).
func (c *Client) Prompts(ctx context.Context) iter.Seq2[Prompt, error] {
	return iterateList(ctx, c, "prompts/list", "prompts", func(p *Prompt) string { return p.Name })
}

// receivedPage is one page of a list as the client receives it.
type receivedPage[T any] struct {
	member string  // name of the member with the items
	items  []T     // decoded items
	next   *string // cursor of the next page; nil on the last page (an empty cursor is valid)
}

// UnmarshalJSON decodes the member with the items, and nextCursor.
func (p *receivedPage[T]) UnmarshalJSON(data []byte) error {
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

// iterateList iterates over a list. member is the name of the member with the items; name returns the
// identity of an item.
func iterateList[T any](ctx context.Context, c *Client, method, member string, name func(*T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		w := listIterator{c: c, method: method, seed: maphash.MakeSeed()}
		for range maxPages {
			part := receivedPage[T]{member: member}
			again, err := w.page(ctx, &part)
			if err != nil {
				yield(zero, err)
				return
			}
			if again {
				continue
			}
			for i := range part.items {
				if w.isNew(name(&part.items[i])) && !yield(part.items[i], nil) {
					return
				}
			}
			if part.next == nil {
				return
			}
			if err := w.advance(part.next); err != nil {
				yield(zero, err)
				return
			}
		}
		yield(zero, fmt.Errorf("%s: the server's list has more than %d pages", method, maxPages))
	}
}

// listIterator is the state of an iteration over the pages of a list.
type listIterator struct {
	c         *Client
	method    string
	cursor    *string             // of the next page; nil for the first one
	cursors   map[uint64]struct{} // hashes of the cursors since the start
	names     map[string]struct{} // names of the yielded items
	seed      maphash.Seed        // seed of the hashes in cursors
	restarted bool                // the list was restarted
}

// page requests the next page. If the server rejects the cursor, the list has changed: page then
// returns again and resets w to the first page, at most once.
func (w *listIterator) page(ctx context.Context, part json.Unmarshaler) (again bool, err error) {
	params := []byte(`{`)
	if w.cursor != nil {
		params = jsonx.AppendQuoted(append(params, `"cursor":`...), *w.cursor)
	}
	err = w.c.requestCached(ctx, w.method, "", params, nil, part)
	if err == nil {
		return false, nil
	}
	var refused *protocol.Error
	if w.cursor != nil && errors.As(err, &refused) && refused.Code == protocol.CodeInvalidParams {
		w.c.cache.dropMethod(w.method)
		if !w.restarted && len(w.names) < maxNames {
			w.restarted, w.cursor, w.cursors = true, nil, nil
			return true, nil
		}
	}
	return false, fmt.Errorf("%s: %w", w.method, err)
}

// isNew reports whether the item of this name was not yielded before the restart.
func (w *listIterator) isNew(name string) bool {
	if w.restarted {
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

// advance moves w to the page at cursor. A repeated cursor is an error, because it would loop.
func (w *listIterator) advance(cursor *string) error {
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
