// Package cursor gives answers in pages: a cursor says where the next one begins.
package cursor

import (
	"encoding/base64"
	"hash/fnv"
	"strconv"
)

// Question tells the questions apart that answers come to in pages: a digest of everything but the size of a page. A cursor
// is the question and the place of the last thing that was answered. It holds nothing that a caller could not say itself, so it
// is not sealed.
type Question string

// Of makes a Question of everything that it consists of.
func Of(parts ...string) Question {
	h := fnv.New32a()
	for _, part := range parts {
		h.Write(strconv.AppendQuote(nil, part))
	}
	return Question(h.Sum(nil))
}

// Cursor is where the answer goes on behind a place.
func (q Question) Cursor(place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(q) + place))
}

// Place is the end of what earlier answers have, by their cursor; empty without one. ok is false if the cursor
// is that of another question.
func (q Question) Place(cursor string) (place string, ok bool) {
	if cursor == "" {
		return "", true
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= len(q) || string(raw[:len(q)]) != string(q) {
		return "", false
	}
	return string(raw[len(q):]), true
}
