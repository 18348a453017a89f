package httpserver

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// eventRef is the parsed id of an event. Without Options.Shared the id is
// "<number>-<seq>", and the stream of changes has the number 0. With
// Options.Shared numbers are random, and the id names the kind of stream and the
// Handler that writes it: "r<number>.<handler>-<seq>" for responses to requests,
// "c<number>.<handler>-<seq>" for changes.
type eventRef struct {
	number, seq int64
	handler     string // empty where nothing is shared
	changes     bool
}

const (
	answersKind = 'r'
	changesKind = 'c'
)

// appendTo appends the id.
func (e eventRef) appendTo(id []byte) []byte {
	if e.handler == "" {
		id = strconv.AppendInt(id, e.number, 10)
	} else {
		kind := byte(answersKind)
		if e.changes {
			kind = changesKind
		}
		id = strconv.AppendInt(append(id, kind), e.number, 36)
		id = append(append(id, '.'), e.handler...)
	}
	return strconv.AppendInt(append(id, '-'), e.seq, 10)
}

// parseEventID reads the id of an event of this Handler alone.
func parseEventID(id string) (number, seq int64, ok bool) {
	first, second, ok := strings.Cut(id, "-")
	number, err := strconv.ParseInt(first, 10, 64)
	seq, err2 := strconv.ParseInt(second, 10, 64)
	return number, seq, ok && err == nil && err2 == nil && number >= 0 && seq >= 0
}

// parseClusterEventID reads the id of an event where sessions are shared.
func parseClusterEventID(id string) (e eventRef, ok bool) {
	stream, count, ok := strings.Cut(id, "-")
	number, handler, ok2 := strings.Cut(stream, ".")
	if !ok || !ok2 || number == "" || number[0] != answersKind && number[0] != changesKind || !isName(handler) {
		return eventRef{}, false
	}
	e.handler, e.changes = handler, number[0] == changesKind
	var err, err2 error
	e.number, err = strconv.ParseInt(number[1:], 36, 64)
	e.seq, err2 = strconv.ParseInt(count, 10, 64)
	return e, err == nil && err2 == nil && e.number > 0 && e.seq >= 0
}

// randomNumber is the number of a stream where several Handlers number the
// streams of one session. It is no secret.
func randomNumber() int64 { return 1 + rand.Int64N(1<<62) }

// isName reports whether text has the form of a result of rand.Text: 26 letters
// and digits of base32. Ids of sessions and names of Handlers have this form.
// The check keeps text of clients out of addresses of the shared store.
func isName(text string) bool {
	if len(text) != 26 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}
