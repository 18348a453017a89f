package fs

import (
	"encoding/base64"
	"hash/fnv"
	"strconv"

	"github.com/dougu-go/dougu/mcp"
)

// question tells the questions apart that answers come to in pages: a digest of everything but the size of a page. A cursor
// is the question and the place of the last thing that was answered. It holds nothing that a caller could not say itself, so it
// is not sealed.
type question string

func questionOf(parts ...string) question {
	h := fnv.New32a()
	for _, part := range parts {
		h.Write(strconv.AppendQuote(nil, part))
	}
	return question(h.Sum(nil))
}

// cursor is where the answer goes on behind a place.
func (q question) cursor(place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(q) + place))
}

// place is the end of what earlier answers have, by their cursor; empty without one.
func (q question) place(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= len(q) || string(raw[:len(q)]) != string(q) {
		return "", badCursor()
	}
	return string(raw[len(q):]), nil
}

func badCursor() error {
	return &mcp.ToolError{Code: codeInvalidCursor, Message: "the cursor does not belong to these arguments",
		Next: "repeat path, pattern and the other arguments of the call that the cursor is from, or call without a cursor"}
}
