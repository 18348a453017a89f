// Package cursor makes and checks the cursors of lists that are returned in pages.
//
// A cursor contains a digest of the request and the position of the last item. It is not secret and not sealed.
package cursor

import (
	"encoding/base64"
	"hash/fnv"
	"strconv"
)

// ListID is a digest of the parameters of a list request, without the page size. It ties a cursor to its request.
type ListID string

// NewListID returns the ListID of all parameters that determine the list.
func NewListID(parts ...string) ListID {
	h := fnv.New32a()
	for _, part := range parts {
		h.Write(strconv.AppendQuote(nil, part))
	}
	return ListID(h.Sum(nil))
}

// Cursor returns the cursor of the page after the item at a position.
func (q ListID) Cursor(place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(q) + place))
}

// Position returns the position in a cursor, or "" for an empty cursor. ok is false if the cursor is malformed or belongs to another
// request.
func (q ListID) Position(cursor string) (place string, ok bool) {
	if cursor == "" {
		return "", true
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= len(q) || string(raw[:len(q)]) != string(q) {
		return "", false
	}
	return string(raw[len(q):]), true
}
