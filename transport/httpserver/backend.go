package httpserver

import (
	"context"
	"net/http"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// backend is the behaviour of sessions that depends on where they are served:
// local serves them by this Handler alone, and cluster by any Handler with the
// same Options.Shared.
type backend interface {
	// create publishes a session that initialize has opened.
	create(ctx context.Context, s *session) *refusal
	// enter returns the session of a request and counts the request in the table.
	enter(ctx context.Context, id, principal string) (*session, *refusal)
	// served publishes the change to the session that a successful request has
	// made, for example a subscription.
	served(ctx context.Context, s *session, req *protocol.Request) error
	// delete ends a session at the request of its client, before the table drops it.
	delete(ctx context.Context, s *session) *refusal
	// ended cleans up after a session that this Handler has dropped.
	ended(s *session)
	// inUse reports whether a session without an HTTP request must stay in the table.
	inUse(s *session) bool
	// abortStatus returns the HTTP status of a call that ends because this
	// Handler drops its session.
	abortStatus(cause error) int

	// questionID returns the id of the next question to the client; the
	// session's lock is held.
	questionID(s *session) rpc.ID
	// answer passes the client's answer to the call that has asked.
	answer(ctx context.Context, s *session, m *rpc.Message) *refusal
	// cancelRemote cancels a call that does not run here.
	cancelRemote(s *session, id rpc.ID)

	// streamNumber returns the number of a new stream of answers; the session's
	// lock is held.
	streamNumber(s *session) int64
	// changesNumber returns the number of a new stream of changes.
	changesNumber() int64
	// eventID returns the id of an event, which the client sends to resume the stream.
	eventID(st *stream, seq int64) string
	// opened prepares the event store for a stream before its first event; the
	// stream's lock is held.
	opened(st *stream)
	// emit stores an event and delivers it to the reader; the stream's lock is
	// held. A passing event may be dropped.
	emit(st *stream, message []byte, passing bool)
	// dismissReader ends the response of another Handler that carries the
	// stream, if there is one.
	dismissReader(st *stream)
	// read attaches rep to the stream that a GET asks for. The stream is nil if
	// rep has carried a stream of another Handler, which is over.
	read(ctx context.Context, s *session, r *http.Request, rep *reply) (*stream, *refusal)

	// leave releases the backend at the end of Shutdown.
	leave()
}
