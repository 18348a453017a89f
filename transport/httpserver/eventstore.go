package httpserver

import (
	"context"
	"errors"
)

// ErrEventsLost is what an EventStore answers with when it does not keep all of
// the events that it is asked for.
var ErrEventsLost = errors.New("the events are no longer kept")

// EventStream names one stream of events: those that a session of an older
// revision tells of one call, or of changes.
type EventStream struct {
	Session string // secret: who knows it can use the session
	Number  int64  // within the session
}

// KeptEvent is one event of a stream.
type KeptEvent struct {
	Seq  int64 // counts the events of the stream, from 1 on
	Data []byte
}

// EventStore keeps what has been sent on the streams of older sessions, so that a
// client whose connection broke gets what it has missed (2025-11-25,
// basic/transports, "Resumability and Redelivery"). A request that is answered
// with plain JSON never comes here, nor does anything of revision 2026-07-28.
//
// It is for the store to bound what it keeps. All methods may be called
// concurrently, but Append not for one stream.
type EventStore interface {
	// Append keeps one event. Its Data is reused when Append returns.
	Append(ctx context.Context, stream EventStream, event KeptEvent) error
	// After returns the events of a stream after the one with the number seq,
	// in order. The error is ErrEventsLost when some of them are no longer
	// kept, or nothing is known of the stream.
	After(ctx context.Context, stream EventStream, seq int64) ([]KeptEvent, error)
	// Forget drops everything of a session, which has ended.
	Forget(ctx context.Context, session string) error
}
