package neovim

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

// Options are what a Neovim can be told.
type Options struct {
	// Address is where Neovim listens, as in v:servername: a socket, a named pipe, or host:port of this machine. Empty is $NVIM and, if
	// that is not set, wherever Neovim listens by itself, see the package.
	Address string
	// Root is the directory of the project, with every link resolved. A Neovim that was found and not named is left alone if its
	// working directory is neither in it nor around it. Empty is all.
	Root string
	// Name is what Neovim is told about this program, for nvim_list_chans. It is "dougu" unless set.
	Name string
	// Log is told of connections that come and go. Nil is nobody.
	Log *slog.Logger
}

// Neovim is what runs of it. It must be closed.
type Neovim struct {
	*relayed // what its language servers know
	options  Options
	address  string // the one that was named, or empty
	ctx      context.Context
	cancel   context.CancelFunc
	jobs     group.Group
	lookout  *presence.Lookout
	news     *presence.Announcer // of what State answers
	changes  *presence.Changes

	connections *presence.Connections[*session, time.Time] // by address, and by when it began to listen
	documents   *buffer.Documents[*session, document]
}

// New begins to look for Neovim.
func New(o Options) *Neovim {
	o.Name = cmp.Or(o.Name, "dougu")
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Neovim{
		options:     o,
		address:     given(o.Address),
		lookout:     presence.NewLookout(),
		news:        presence.NewAnnouncer(),
		changes:     presence.NewChanges(),
		connections: presence.NewConnections[*session, time.Time](),
		documents:   buffer.NewDocuments[*session]("Neovim", o.Log),
	}
	n.relayed = n.relay()
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.jobs.Keep(n.ctx, n.search)
	n.jobs.Keep(n.ctx, func() { n.news.Run(n.ctx) })
	n.jobs.Keep(n.ctx, func() { n.changes.Run(n.ctx, n.sendChanges) })
	return n
}

// Name is "neovim".
func (n *Neovim) Name() string { return "neovim" }

// Close leaves Neovim as it is.
func (n *Neovim) Close(ctx context.Context) error {
	n.cancel()
	if !n.jobs.WaitUntil(ctx) {
		return fmt.Errorf("closing the connection to Neovim: %w", context.Cause(ctx))
	}
	return nil
}

// State tells which Neovim is connected.
func (n *Neovim) State() adapter.State {
	all := n.connected()
	if len(all) == 0 {
		return n.absent()
	}
	s := adapter.State{Running: true, Detail: "Neovim " + all[0].version}
	if len(all) > 1 {
		s.Detail += fmt.Sprintf(", %d of them", len(all))
	}
	if n.address != "" {
		return s
	}
	if n.options.Root != "" {
		s.Folders = append(s.Folders, n.options.Root)
	}
	for _, one := range all {
		folders, _ := one.state()
		s.Folders = append(s.Folders, folders...)
	}
	slices.Sort(s.Folders)
	s.Folders = slices.Compact(s.Folders)
	return s
}

// absent is the state when nothing is connected.
func (n *Neovim) absent() adapter.State {
	s := adapter.State{
		Detail: "no Neovim with a working directory in the project listens",
		Start:  "Start nvim in the directory of the project.",
	}
	if n.address != "" {
		s.Detail = fmt.Sprintf("no Neovim listens at %.200q", n.address)
		s.Start = fmt.Sprintf("Start nvim --listen %.200q in the directory of the project.", n.address)
	}
	if err := n.connections.Failure(false); err != nil {
		s.Detail = truncate.Line(fmt.Sprintf("Neovim does not take the connection: %v", err), maxErrorText)
		s.Start = "Look at Neovim: it may be waiting for a key, or be older than 0.7."
	}
	return s
}

// Watch tells when Neovim comes, goes or gets another working directory.
func (n *Neovim) Watch(changed func()) (stop func()) { return n.news.Watch(changed) }

// connected are the sessions that have to do with the project, that first which was used last.
func (n *Neovim) connected() []*session {
	all := slices.DeleteFunc(n.connections.All(), func(s *session) bool { return !n.concerns(s) })
	slices.SortFunc(all, func(a, b *session) int {
		_, usedA := a.state()
		_, usedB := b.state()
		return cmp.Or(usedB.Compare(usedA), cmp.Compare(a.place.address, b.place.address))
	})
	return all
}

// concerns tells whether a session has to do with the project.
func (n *Neovim) concerns(s *session) bool {
	if s.place.given || n.options.Root == "" {
		return true
	}
	folders, _ := s.state()
	return presence.Concern(folders, n.options.Root)
}

// covers tells how much a file is a session's business: the length of the directory that makes it so, or -1.
func (n *Neovim) covers(s *session, path string) int {
	least := -1
	if s.place.given || n.options.Root != "" && presence.Within(n.options.Root, path) {
		least = 0
	}
	folders, _ := s.state()
	return max(least, presence.Depth(folders, path))
}

// covering are the sessions for a file, the nearest first. If there is none, Neovim is looked for at once.
func (n *Neovim) covering(ctx context.Context, path string) ([]*session, error) {
	find := func() []*session {
		all := slices.DeleteFunc(n.connected(), func(s *session) bool { return n.covers(s, path) < 0 })
		slices.SortStableFunc(all, func(a, b *session) int { return n.covers(b, path) - n.covers(a, path) })
		return all
	}
	all := find()
	if len(all) == 0 {
		n.lookout.Look(ctx)
		all = find()
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no Neovim runs for %s: %w", path, adapter.ErrNotRunning)
	}
	return all, nil
}
