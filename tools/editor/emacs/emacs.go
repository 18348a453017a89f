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

// Options are what an Emacs can be told.
type Options struct {
	// Server is the name of a server (server-name), the path of its socket, or that of the file that says where it listens. Empty is
	// $EMACS_SOCKET_NAME or $EMACS_SERVER_FILE and, if those are not set, every server of the user, see the package.
	Server string
	// Log is told of connections that come and go. Nil is nobody.
	Log *slog.Logger
}

// Emacs is what runs of it. It must be closed.
type Emacs struct {
	*relayed // what the language servers know that eglot runs
	options  Options
	server   string // the one that was named, or empty
	ctx      context.Context
	cancel   context.CancelFunc
	jobs     group.Group
	lookout  *presence.Lookout
	news     *presence.Announcer // of what State answers
	changes  *presence.Changes

	connections *presence.Connections[*session, time.Time] // by file, and by when it began to listen
	documents   *buffer.Documents[*session, document]
}

// New begins to look for Emacs.
func New(o Options) *Emacs {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e := &Emacs{
		options:     o,
		server:      given(o.Server),
		lookout:     presence.NewLookout(),
		news:        presence.NewAnnouncer(),
		changes:     presence.NewChanges(),
		connections: presence.NewConnections[*session, time.Time](),
		documents:   buffer.NewDocuments[*session]("Emacs", o.Log),
	}
	e.relayed = e.relay()
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.jobs.Keep(e.ctx, e.search)
	e.jobs.Keep(e.ctx, func() { e.news.Run(e.ctx) })
	e.jobs.Keep(e.ctx, func() { e.changes.Run(e.ctx, e.sendChanges) })
	return e
}

// Name is "emacs".
func (e *Emacs) Name() string { return "emacs" }

// Close leaves Emacs as it is.
func (e *Emacs) Close(ctx context.Context) error {
	e.cancel()
	if !e.jobs.WaitUntil(ctx) {
		return fmt.Errorf("closing the connection to Emacs: %w", context.Cause(ctx))
	}
	return nil
}

// State tells which Emacs is connected. Every file is its business.
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

// absent is the state when nothing is connected.
func (e *Emacs) absent() adapter.State {
	s := adapter.State{Detail: "no Emacs has a server", Start: "Type M-x server-start in Emacs, or put (server-start) into its init file"}
	if e.server != "" {
		s.Detail = fmt.Sprintf("no Emacs has the server %.200q", e.server)
	}
	if err := e.connections.Failure(false); err != nil {
		s.Detail = truncate.Line(fmt.Sprintf("Emacs does not take the connection: %v", err), maxErrorText)
		s.Start = "Look at Emacs: it may be busy, or be older than 27"
	}
	s.Start += "."
	return s
}

// Watch tells when Emacs comes or goes.
func (e *Emacs) Watch(changed func()) (stop func()) { return e.news.Watch(changed) }

// connected are the sessions, that first which listens for the shortest time.
func (e *Emacs) connected() []*session {
	all := e.connections.All()
	slices.SortFunc(all, func(a, b *session) int {
		return cmp.Or(b.place.since.Compare(a.place.since), cmp.Compare(a.place.file, b.place.file))
	})
	return all
}

// running are the sessions. If there is none, Emacs is looked for at once.
func (e *Emacs) running(ctx context.Context) ([]*session, error) {
	all := e.connected()
	if len(all) == 0 {
		e.lookout.Look(ctx)
		all = e.connected()
	}
	if len(all) == 0 {
		return nil, adapter.ErrNotRunning
	}
	return all, nil
}
