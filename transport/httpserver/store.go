package httpserver

import (
	"context"
	"errors"
)

// ErrEventsLost is the error of an EventStore when it does not keep all of
// the events that it is asked for.
var ErrEventsLost = errors.New("the events are no longer kept")

// EventStream identifies one stream of events of a legacy session: of a call, a
// batch or the changes.
type EventStream struct {
	Session string // secret: a client that knows it can use the session
	Number  int64  // within the session
}

// KeptEvent is one event of a stream.
type KeptEvent struct {
	Seq  int64 // counts the events of the stream, from 1 on
	Data []byte
}

// EventStore keeps the events of the streams of older sessions, so that a
// client whose connection broke gets the events that it has missed (2025-11-25,
// basic/transports, "Resumability and Redelivery"). A request that is answered
// with plain JSON never comes here, nor does anything of revision 2026-07-28.
//
// The store bounds the events that it keeps. All methods may be called
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

var (
	// ErrNoSession is the error of a SessionStore for a session that does not
	// exist, has ended or has expired.
	ErrNoSession = errors.New("there is no such session")
	// ErrSessionChanged is the error of an update whose version is not the
	// newest.
	ErrSessionChanged = errors.New("the session was changed by another writer")
	// ErrEventTaken is the error of Append in a shared EventStore that has an
	// event with this number already.
	ErrEventTaken = errors.New("another event of the stream has this number")
	// ErrNoHandler is the error of a Relay if no Handler of that name has joined,
	// or if it has left.
	ErrNoHandler = errors.New("no handler of that name is there")
)

// Shared is what several Handlers, on one machine or on many, have in common so
// that each of them can serve every session: a client of an older revision whose
// requests a load balancer spreads over them sees one server (2025-11-25,
// basic/transports, "Session Management"). Requests of 2026-07-28 stand alone and
// never come here.
//
// What can be done from anywhere: any request of a session; the answer to a
// question of a call that runs elsewhere; its cancellation; coming back for the
// rest of its stream; DELETE, after which no Handler knows the session. A call
// itself runs where it arrived, once. When that Handler is gone, a client that
// comes back is told with an error that its call is lost.
//
// A Handler asks for the record of a session with every request: an
// implementation that remembers records decides how long a Handler may go on
// serving a session that another has ended. When a method fails with anything but
// the errors above, the client gets status 503 and may try again. Every method
// must return within some seconds, whatever has become of its context.
//
// Who can reach what is shared can do everything in the name of every client: it
// must be as protected as the Handlers themselves. Package storetest holds tests
// for implementations, and one in memory.
type Shared interface {
	SessionStore
	EventStore // Append fails with ErrEventTaken where an event is kept under that number already
	Relay
}

// SessionStore keeps one record for each session. What is in it is the Handlers'
// own; it is at most 64 KiB long. The ids are secret, for who knows one can use
// the session, and consist of letters and digits.
//
// A record that has been neither created nor updated for a while, which must be
// longer than Options.SessionIdle, is dropped. Versions of one record grow.
type SessionStore interface {
	// CreateSession keeps the record of a new session.
	CreateSession(ctx context.Context, id string, record []byte) (version uint64, err error)
	// LoadSession returns the newest record, or ErrNoSession.
	LoadSession(ctx context.Context, id string) (record []byte, version uint64, err error)
	// UpdateSession exchanges a record, if version is still the newest; the error
	// is ErrSessionChanged otherwise, or ErrNoSession.
	UpdateSession(ctx context.Context, id string, record []byte, version uint64) (newer uint64, err error)
	// DeleteSession drops a record. That there is none is no error.
	DeleteSession(ctx context.Context, id string) error
}

// Relay carries messages between Handlers. What is told may be lost: it only
// makes them notice sooner what they would find out by themselves. Messages may
// be as long as the longest of a client.
type Relay interface {
	// Join has receive called, by any goroutine and by several at once, with
	// what is told or asked of name, which consists of letters and digits, and
	// with what is told to all; others may learn of it a little later than Join
	// returns. What receive returns is the reply to who asks.
	// After leave nothing is received any more, and what was being received has
	// ended.
	Join(name string, receive func(ctx context.Context, message []byte) (reply []byte)) (leave func(), err error)
	// Tell sends a message without waiting for anything, to all when name is
	// empty: also to who tells, or not.
	Tell(name string, message []byte) error
	// Ask sends a message to one Handler and waits for its reply. The error is
	// ErrNoHandler when it is known that there is none of that name.
	Ask(ctx context.Context, name string, message []byte) (reply []byte, err error)
}
