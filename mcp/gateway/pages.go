package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// MissingMeta is the _meta key of lists that names the upstreams that are not ready. Their items
// are missing or may be outdated. The value is an array of objects with the members "server" and
// "reason".
const MissingMeta = "io.github.dougu-go/missing"

// catalog is one of the lists that a view shows.
type catalog[T any] struct {
	kind   string
	items  []T
	key    func(*T) string
	wrap   func(items []T, next string) protocol.Result
	digest [sha256.Size]byte // of the items
	first  [8]atomic.Pointer[[]byte]
}

// seal ends the making of a catalog.
func (c *catalog[T]) seal() {
	h := sha256.New()
	for i := range c.items {
		item, err := json.Marshal(&c.items[i])
		if err != nil {
			item = []byte(c.key(&c.items[i])) // unreachable: it was read from JSON
		}
		h.Write(append(item, 0))
	}
	h.Sum(c.digest[:0])
}

// page returns one page of a list. may selects the items that the sender may see; nil means all.
func (c *catalog[T]) page(t *table, params json.RawMessage, may func(*T) bool) (protocol.Result, error) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %v", err)
		}
	}
	items := c.items
	if may != nil {
		items = nil
		for i := range c.items {
			if may(&c.items[i]) {
				items = append(items, c.items[i])
			}
		}
	}
	start := 0
	if p.Cursor != "" {
		var err error
		if start, err = c.after(items, p.Cursor); err != nil {
			return nil, err
		}
	}
	end, next := min(start+t.pageSize, len(items)), ""
	if end < len(items) {
		next = base64.RawURLEncoding.EncodeToString([]byte(c.kind + " " + c.key(&items[end-1])))
	}
	result := &pageResult{of: c.wrap(slices.Clip(items[start:end]), next), meta: t.meta}
	if start == 0 && may == nil {
		result.wire = &c.first
	}
	return result, nil
}

// after is where the page begins that a cursor asks for.
func (c *catalog[T]) after(items []T, cursor string) (int, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	key, ok := strings.CutPrefix(string(raw), c.kind+" ")
	if err != nil || !ok {
		return 0, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the cursor is not one of this server's; list again from the start")
	}
	at := slices.IndexFunc(items, func(item T) bool { return c.key(&item) == key })
	if at < 0 {
		return 0, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the list has changed since the cursor was given; list again from the start")
	}
	return at + 1, nil
}

// pageResult is a page with the _meta of the list. The first page without a filter is encoded once
// for each revision.
type pageResult struct {
	of   protocol.Result
	meta json.RawMessage // the members of _meta; nil for none
	wire *[8]atomic.Pointer[[]byte]
}

// AppendJSON implements protocol.Result.
func (r *pageResult) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	at := slices.Index(protocol.Revisions(), rev)
	if r.wire == nil || at < 0 || at >= len(r.wire) {
		return r.encode(dst, rev)
	}
	if wire := r.wire[at].Load(); wire != nil {
		return append(dst, *wire...), nil
	}
	wire, err := r.encode(nil, rev)
	if err == nil {
		r.wire[at].Store(&wire)
	}
	return append(dst, wire...), err
}

func (r *pageResult) encode(dst []byte, rev protocol.Revision) ([]byte, error) {
	dst, err := r.of.AppendJSON(dst, rev)
	if err != nil || r.meta == nil {
		return dst, err
	}
	dst = append(dst[:len(dst)-1], `,"_meta":`...)
	return append(append(dst, r.meta...), '}'), nil
}

// missingMeta is the _meta of lists while some upstreams are not ready.
func missingMeta(missing []Missing) json.RawMessage {
	if len(missing) == 0 {
		return nil
	}
	dst := append(jsonx.AppendQuoted([]byte(`{`), MissingMeta), `:[`...)
	for i, m := range missing {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonx.AppendQuoted(append(dst, `{"server":`...), m.Server)
		dst = jsonx.AppendQuoted(append(dst, `,"reason":`...), m.Reason)
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}
