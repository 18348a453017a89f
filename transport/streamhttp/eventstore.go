package streamhttp

import (
	"context"
	"errors"
	"iter"
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

// EventStore keeps what has been sent on the streams of older sessions, so that a
// client whose connection broke gets what it has missed (2025-11-25,
// basic/transports, "Resumability and Redelivery"). A request that is answered
// with plain JSON never comes here, nor does anything of revision 2026-07-28.
//
// The events of a stream are numbered from 1 on without gaps. It is for the
// store to bound what it keeps. All methods may be called concurrently, but
// Append is not for one stream.
type EventStore interface {
	// Append keeps one event. The data is reused when it returns.
	Append(ctx context.Context, stream EventStream, seq int64, data []byte) error
	// After returns what is kept of a stream after an event, in order. When
	// some of that is missing, the first thing is ErrEventsLost. When there is
	// nothing after the event there is nothing to return.
	After(ctx context.Context, stream EventStream, seq int64) iter.Seq2[[]byte, error]
	// Forget drops everything of a session, which has ended.
	Forget(ctx context.Context, session string) error
}
