package mcp

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-multierror"
)

// feature is what a server can offer under a name: a tool, a prompt, a resource
// or a template. Item is what a list shows of it.
type feature[Item any] interface {
	comparable
	key() string // what it is asked for by
	shown() Item
	hidden() bool // from lists
	Err() error
	append(dst []byte) []byte // the item, in the latest revision
}

// catalog is all that a server offers of one kind. It is immutable. Its pages
// are made when they are first asked for.
type catalog[Item any, F feature[Item]] struct {
	kind   string    // for people, such as "tool"
	size   int       // of a page
	hint   CacheHint // of all pages
	of     func(*owned) []F
	byKey  map[string]F
	listed []F
	pages  func() []*listPage[Item]
}

func newCatalog[Item any, F feature[Item]](kind string, o *ServerOptions, of func(*owned) []F) *catalog[Item, F] {
	c := &catalog[Item, F]{kind: kind, size: o.PageSize, hint: o.Cache, of: of}
	return c.finish()
}

func (c *catalog[Item, F]) finish() *catalog[Item, F] {
	c.pages = sync.OnceValue(c.paginate)
	return c
}

// renewed returns the same catalog with nothing of its pages encoded yet.
func (c *catalog[Item, F]) renewed() *catalog[Item, F] {
	next := *c
	return next.finish()
}

// replace returns the catalog after the i-th of owners has exchanged what it
// offers; before is what it offered, nil if it is new. What is wrong is added
// to problems.
func (c *catalog[Item, F]) replace(owners []*owned, i int, before *owned, problems *multierror.Error) *catalog[Item, F] {
	if len(c.of(owners[i])) == 0 && (before == nil || len(c.of(before)) == 0) {
		return c
	}
	next := &catalog[Item, F]{kind: c.kind, size: c.size, hint: c.hint, of: c.of}
	if before == nil {
		// The usual case, while a server is put together: only additions.
		next.byKey, next.listed = maps.Clone(c.byKey), slices.Clip(c.listed)
		next.offer(owners, i, problems)
		return next.finish()
	}
	for i := range owners {
		next.offer(owners, i, problems)
	}
	return next.finish()
}

// offer adds what the i-th of owners offers, and what is wrong with it to
// problems.
func (c *catalog[Item, F]) offer(owners []*owned, i int, problems *multierror.Error) {
	for _, f := range c.of(owners[i]) {
		if c.byKey == nil {
			c.byKey = make(map[string]F)
		}
		key := f.key()
		if err := f.Err(); err != nil {
			problems.Errors = append(problems.Errors, err)
			continue
		}
		if _, taken := c.byKey[key]; taken {
			problems.Errors = append(problems.Errors, fmt.Errorf("%s %q is offered by %q and by %q", c.kind, key, c.ownerOf(owners, key), owners[i].name))
			continue
		}
		c.byKey[key] = f
		if !f.hidden() {
			c.listed = append(c.listed, f)
		}
	}
}

// ownerOf is the first owner who offers a feature.
func (c *catalog[Item, F]) ownerOf(owners []*owned, key string) string {
	i := slices.IndexFunc(owners, func(o *owned) bool {
		return slices.ContainsFunc(c.of(o), func(f F) bool { return f.key() == key })
	})
	return owners[i].name
}

// same reports whether two catalogs list the same to a client.
func (c *catalog[Item, F]) same(other *catalog[Item, F]) bool {
	return c == other || slices.EqualFunc(c.listed, other.listed, func(a, b F) bool {
		return a == b || string(a.append(nil)) == string(b.append(nil))
	})
}

// items are what is listed, in order.
func (c *catalog[Item, F]) items() []Item {
	var all []Item
	for _, f := range c.listed {
		all = append(all, f.shown())
	}
	return all
}

// only returns the catalog with those alone that may be listed. Cursors of the
// one are good for the other, unless what they name is not listed there.
func (c *catalog[Item, F]) only(may func(F) bool) *catalog[Item, F] {
	some := &catalog[Item, F]{kind: c.kind, size: c.size, hint: c.hint, of: c.of}
	for _, f := range c.listed {
		if may(f) {
			some.listed = append(some.listed, f)
		}
	}
	if len(some.listed) == len(c.listed) {
		return c // whose pages are encoded
	}
	return some.finish()
}

// names are the keys of what is listed.
func (c *catalog[Item, F]) names() []string {
	names := make([]string, len(c.listed))
	for i, f := range c.listed {
		names[i] = f.key()
	}
	return names
}

func (c *catalog[Item, F]) paginate() []*listPage[Item] {
	pages := []*listPage[Item]{c.pageAt(0, c.size)}
	for start := c.size; start < len(c.listed); start += c.size {
		pages = append(pages, c.pageAt(start, c.size))
	}
	return pages
}

// pageAt makes the page that begins with the item at start.
func (c *catalog[Item, F]) pageAt(start, size int) *listPage[Item] {
	end := min(start+size, len(c.listed))
	page := &listPage[Item]{items: make([]Item, 0, end-start), cache: c.hint}
	for _, f := range c.listed[start:end] {
		page.items = append(page.items, f.shown())
	}
	if end < len(c.listed) {
		page.next = c.cursorAfter(c.listed[end-1].key())
	}
	return page
}

// cursorAfter names the place after a feature: it stays right when those before
// it come and go.
func (c *catalog[Item, F]) cursorAfter(key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.kind + " " + key))
}

// page finds the page that a cursor asks for. The empty cursor is the start
// (2026-07-28, server/utilities/pagination).
func (c *catalog[Item, F]) page(cursor string) (*listPage[Item], error) {
	pages := c.pages()
	if cursor == "" {
		return pages[0], nil
	}
	for i, page := range pages[:len(pages)-1] {
		if page.next == cursor {
			return pages[i+1], nil
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	key, ok := strings.CutPrefix(string(raw), c.kind+" ")
	if err != nil || !ok {
		return nil, Errorf(CodeInvalidParams, "Invalid params: the cursor is not one of this server's; list again from the start")
	}
	i := slices.IndexFunc(c.listed, func(f F) bool { return f.key() == key })
	if i < 0 {
		return nil, Errorf(CodeInvalidParams, "Invalid params: the list has changed since the cursor was given; list again from the start")
	}
	return c.pageAt(i+1, max(len(pages[0].items), 1)), nil
}
