package protocol

import "context"

// Watch is a subscription without a goroutine, which the method Watch of mcp.Server returns. Transports use
// it to follow changes for the sessions of older revisions, which may be many.
type Watch interface {
	// Tasks adds tasks to the watch: those ids that belong to the sender of listen. Call it at most
	// once.
	Tasks(ctx context.Context, listen *Request, ids []string)
	// Session adds the changes of the tools that only session has. Call it at most once, and before
	// Stop.
	Session(session *SessionMeta)
	// Take returns the changes since the last call, in order.
	Take() []Notification
	// Stop ends the watch. Take still returns the changes from before.
	Stop()
}
