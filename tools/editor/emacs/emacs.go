package emacs

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// Options configures New. The zero value uses every Emacs server of the user.
type Options struct {
	// Server is the name of a server (server-name), the path of its socket, or the path of its file in server-auth-dir. Default
	// $EMACS_SOCKET_NAME, then $EMACS_SERVER_FILE; without them all servers of the user are used.
	Server string
	// Log receives connections and their ends, and failures. nil discards them.
	Log *slog.Logger
}

// Emacs is the adapter for running Emacs processes. Its methods may be called concurrently. Close must be called.
type Emacs struct {
	*relayed  // implements formatting, navigation and refactoring by requests to the language servers of eglot
	options   Options
	server    string // given name or path, or empty
	ctx       context.Context
	cancel    context.CancelFunc
	jobs      group.Group
	lookout   *presence.Lookout
	announcer *presence.Announcer // announces changes of State
	changes   *presence.Changes

	connections *presence.Connections[*session, time.Time] // by file and start of listening
	documents   *buffer.Documents[*session, document]
}

// New returns the adapter and starts to look for Emacs in the background.
func New(o Options) *Emacs {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e := &Emacs{
		options:     o,
		server:      configuredServer(o.Server),
		lookout:     presence.NewLookout(),
		announcer:   presence.NewAnnouncer(),
		changes:     presence.NewChanges(),
		connections: presence.NewConnections[*session, time.Time](),
		documents:   buffer.NewDocuments[*session]("Emacs", o.Log, nil),
	}
	e.relayed = e.relay()
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.jobs.Keep(e.ctx, e.search)
	e.jobs.Keep(e.ctx, func() { e.announcer.Run(e.ctx) })
	e.jobs.Keep(e.ctx, func() { e.changes.Run(e.ctx, e.sendChanges) })
	return e
}

// Name implements adapter.Adapter. It is "emacs".
func (e *Emacs) Name() string { return "emacs" }

// Close implements adapter.Adapter. It ends the connections; Emacs keeps running.
func (e *Emacs) Close(ctx context.Context) error {
	e.cancel()
	if !e.jobs.WaitUntil(ctx) {
		return fmt.Errorf("closing the connection to Emacs: %w", context.Cause(ctx))
	}
	return nil
}

// State implements adapter.Adapter. It has no Folders: each Emacs covers all files.
func (e *Emacs) State() adapter.State {
	all := e.connected()
	if len(all) == 0 {
		return e.absent()
	}
	s := adapter.State{Running: true, Detail: "Emacs " + all[0].version}
	if len(all) > 1 {
		s.Detail += fmt.Sprintf(", %d of them", len(all))
	}
	return s
}

// absent returns the state without a connection.
func (e *Emacs) absent() adapter.State {
	s := adapter.State{Detail: "no Emacs has a server", Start: "Type M-x server-start in Emacs, or put (server-start) into its init file"}
	if e.server != "" {
		s.Detail = fmt.Sprintf("no Emacs has the server %.200q", e.server)
	}
	if err := e.connections.Failure(false); err != nil {
		s.Detail = truncate.Line(fmt.Sprintf("connecting to Emacs failed: %v", err), maxErrorText)
		s.Start = "Check Emacs: it may be busy, or be older than 27"
	}
	s.Start += "."
	return s
}

// Watch implements adapter.Adapter. changed is called when an Emacs connects or disconnects.
func (e *Emacs) Watch(changed func()) (stop func()) { return e.announcer.Watch(changed) }

// connected returns the sessions, the most recently started server first. Requests about a file sort them again, the most recently
// used Emacs first (sortByIdle).
func (e *Emacs) connected() []*session {
	all := e.connections.All()
	slices.SortFunc(all, func(a, b *session) int {
		return cmp.Or(b.endpoint.since.Compare(a.endpoint.since), cmp.Compare(a.endpoint.file, b.endpoint.file))
	})
	return all
}

// present looks for new servers and returns all sessions. The error names an Emacs that does not answer.
func (e *Emacs) present(ctx context.Context) ([]*session, error) {
	e.refresh(ctx)
	if ctx.Err() != nil {
		return e.connected(), fmt.Errorf("looking for Emacs: %w", context.Cause(ctx))
	}
	for _, pid := range e.connections.Unanswered(answerTime) {
		return e.connected(), presence.NoAnswer("Emacs", pid)
	}
	return e.connected(), nil
}

// running returns the sessions. If there is none, it looks for Emacs once; then the error is adapter.ErrNotRunning.
func (e *Emacs) running(ctx context.Context) ([]*session, error) {
	all := e.connected()
	if len(all) == 0 {
		e.refresh(ctx)
		all = e.connected()
	}
	if len(all) == 0 {
		return nil, adapter.ErrNotRunning
	}
	return all, nil
}
