package mcp

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// feature is a tool, prompt, resource or resource template of a server. Item is its public
// description in a list.
type feature[Item any] interface {
	comparable
	key() string              // name or URI by which clients request it
	item() Item               // public description
	hidden() bool             // omitted from lists
	Err() error               // Err returns the problem of its definition, or nil.
	append(dst []byte) []byte // appends the item in the latest revision
}

// catalog holds all features of one kind. It is immutable. Its pages are built on first use.
type catalog[Item any, F feature[Item]] struct {
	kind       string                   // name in messages, for example "tool"
	size       int                      // items in a page
	hint       protocol.CacheHint       // cache hint of all pages
	featuresOf func(*ownerFeatures) []F // selects the features of this kind
	byKey      map[string]F             // all features
	listed     []F                      // features that lists contain, in order
	pages      func() []*listPage[Item] // all pages
}

// newCatalog returns an empty catalog with the page size and cache hint of o.
func newCatalog[Item any, F feature[Item]](kind string, o *ServerOptions, of func(*ownerFeatures) []F) *catalog[Item, F] {
	c := &catalog[Item, F]{kind: kind, size: o.PageSize, hint: o.Cache, featuresOf: of}
	return c.finish()
}

// finish sets the lazy pages of a new catalog.
func (c *catalog[Item, F]) finish() *catalog[Item, F] {
	c.pages = sync.OnceValue(c.paginate)
	return c
}

// withoutEncodings returns a copy of c whose pages are encoded again on first use.
func (c *catalog[Item, F]) withoutEncodings() *catalog[Item, F] {
	next := *c
	return next.finish()
}

// replace returns the catalog after the owner with index i has replaced its features. before holds
// its earlier features, or nil for a new owner. Problems are appended to problems.
func (c *catalog[Item, F]) replace(owners []*ownerFeatures, i int, before *ownerFeatures, problems *multierror.Error) *catalog[Item, F] {
	if len(c.featuresOf(owners[i])) == 0 && (before == nil || len(c.featuresOf(before)) == 0) {
		return c
	}
	next := &catalog[Item, F]{kind: c.kind, size: c.size, hint: c.hint, featuresOf: c.featuresOf}
	if before == nil {
		// The usual case while a server is set up: additions only.
		next.byKey, next.listed = maps.Clone(c.byKey), slices.Clip(c.listed)
		next.addFeatures(owners, i, problems)
		return next.finish()
	}
	for i := range owners {
		next.addFeatures(owners, i, problems)
	}
	return next.finish()
}

// addFeatures adds the features of the owner with index i. Invalid and duplicate features are appended to
// problems.
func (c *catalog[Item, F]) addFeatures(owners []*ownerFeatures, i int, problems *multierror.Error) {
	for _, f := range c.featuresOf(owners[i]) {
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

// ownerOf returns the name of the first owner with a feature of this key.
func (c *catalog[Item, F]) ownerOf(owners []*ownerFeatures, key string) string {
	i := slices.IndexFunc(owners, func(o *ownerFeatures) bool {
		return slices.ContainsFunc(c.featuresOf(o), func(f F) bool { return f.key() == key })
	})
	return owners[i].name
}

// listsEqual reports whether the lists of both catalogs look equal to a client.
func (c *catalog[Item, F]) listsEqual(other *catalog[Item, F]) bool {
	return c == other || slices.EqualFunc(c.listed, other.listed, func(a, b F) bool {
		return a == b || string(a.append(nil)) == string(b.append(nil))
	})
}

// items returns the descriptions of the listed features, in order.
func (c *catalog[Item, F]) items() []Item {
	var all []Item
	for _, f := range c.listed {
		all = append(all, f.item())
	}
	return all
}

// filter returns a catalog of the listed features that may accepts. Cursors are valid in both
// catalogs if their feature is listed in both.
func (c *catalog[Item, F]) filter(may func(F) bool) *catalog[Item, F] {
	some := &catalog[Item, F]{kind: c.kind, size: c.size, hint: c.hint, featuresOf: c.featuresOf}
	for _, f := range c.listed {
		if may(f) {
			some.listed = append(some.listed, f)
		}
	}
	if len(some.listed) == len(c.listed) {
		return c // keeps the encoded pages
	}
	return some.finish()
}

// transform returns a catalog of the listed features after change, which returns a feature
// unchanged, or a changed copy. Cursors are valid in both catalogs.
func (c *catalog[Item, F]) transform(change func(F) F) *catalog[Item, F] {
	changed := make([]F, len(c.listed))
	same := true
	for i, f := range c.listed {
		changed[i] = change(f)
		same = same && changed[i] == f
	}
	if same {
		return c // keeps the encoded pages
	}
	next := &catalog[Item, F]{kind: c.kind, size: c.size, hint: c.hint, featuresOf: c.featuresOf, listed: changed}
	return next.finish()
}

// private returns a catalog whose pages are not marked as public.
func (c *catalog[Item, F]) private() *catalog[Item, F] {
	if !c.hint.Public {
		return c
	}
	next := *c
	next.hint.Public = false
	return next.finish()
}

// names returns the keys of the listed features, in order.
func (c *catalog[Item, F]) names() []string {
	names := make([]string, len(c.listed))
	for i, f := range c.listed {
		names[i] = f.key()
	}
	return names
}

// paginate returns all pages; an empty catalog has one empty page.
func (c *catalog[Item, F]) paginate() []*listPage[Item] {
	pages := []*listPage[Item]{c.pageAt(0, c.size)}
	for start := c.size; start < len(c.listed); start += c.size {
		pages = append(pages, c.pageAt(start, c.size))
	}
	return pages
}

// pageAt returns the page of at most size items that begins at index start.
func (c *catalog[Item, F]) pageAt(start, size int) *listPage[Item] {
	end := min(start+size, len(c.listed))
	page := &listPage[Item]{items: make([]Item, 0, end-start), cache: c.hint}
	for _, f := range c.listed[start:end] {
		page.items = append(page.items, f.item())
	}
	if end < len(c.listed) {
		page.next = c.cursorAfter(c.listed[end-1].key())
	}
	return page
}

// cursorAfter returns the cursor of the position after a feature. It stays valid when earlier
// features are added or removed.
func (c *catalog[Item, F]) cursorAfter(key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.kind + " " + key))
}

// page returns the page at a cursor. An empty cursor selects the first page (2026-07-28,
// server/utilities/pagination).
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
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the cursor is not one of this server's; list again from the start")
	}
	i := slices.IndexFunc(c.listed, func(f F) bool { return f.key() == key })
	if i < 0 {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the list has changed since the cursor was given; list again from the start")
	}
	return c.pageAt(i+1, max(len(pages[0].items), 1)), nil
}
