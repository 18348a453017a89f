package neovim

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// Options configures New. The zero value connects to $NVIM, or else to every Neovim of the user.
type Options struct {
	// Address is the address on which Neovim listens, as in v:servername: a socket, a named pipe, or host:port of this machine.
	// Default $NVIM, then $NVIM_LISTEN_ADDRESS; without them the sockets of the user's Neovims are looked for.
	Address string
	// Root is the project directory, with all links resolved. A Neovim without a given address is ignored if its working directory
	// is neither in Root nor above it, except for the documents that it has open. Empty accepts all.
	Root string
	// Dirs are further directories of the project, with all links resolved. A Neovim of them is used, too. They need Root.
	Dirs []string
	// Name is the client name shown by nvim_list_chans. Default "dougu".
	Name string
	// Log receives connections and their ends, and failures. nil discards them.
	Log *slog.Logger
}

// Neovim is the adapter for running Neovim processes. Its methods may be called concurrently. Close must be called.
type Neovim struct {
	*relayed  // requests to the language servers of the connected Neovims
	options   Options
	address   string // given address, or empty
	ctx       context.Context
	cancel    context.CancelFunc
	jobs      group.Group
	listeners local.Listeners     // finds sockets at other places, used by the lookout
	lookout   *presence.Lookout   // looks for Neovim processes, periodically and on request
	announcer *presence.Announcer // notifies watchers of changes of State
	changes   *presence.Changes   // files that tools have changed, until sendChanges reports them

	tooMany     atomic.Bool                                // there are more than maxEndpoints sockets
	connections *presence.Connections[*session, time.Time] // by address and start of listening
	documents   *buffer.Documents[*session, document]
}

// New returns the adapter and starts to look for Neovim in the background.
func New(o Options) *Neovim {
	o.Name = cmp.Or(o.Name, "dougu")
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Neovim{
		options:     o,
		address:     configuredAddress(o.Address),
		listeners:   local.Listeners{Program: "nvim"},
		lookout:     presence.NewLookout(),
		announcer:   presence.NewAnnouncer(),
		changes:     presence.NewChanges(),
		connections: presence.NewConnections[*session, time.Time](),
	}
	n.documents = buffer.NewDocuments("Neovim", o.Log, n.mayHave)
	n.relayed = n.relay()
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.jobs.Keep(n.ctx, n.search)
	n.jobs.Keep(n.ctx, func() { n.announcer.Run(n.ctx) })
	n.jobs.Keep(n.ctx, func() { n.changes.Run(n.ctx, n.sendChanges) })
	return n
}

// Name implements adapter.Adapter. It is "neovim".
func (n *Neovim) Name() string { return "neovim" }

// Close implements adapter.Adapter. It ends the connections; Neovim keeps running.
func (n *Neovim) Close(ctx context.Context) error {
	n.cancel()
	if !n.jobs.WaitUntil(ctx) {
		return fmt.Errorf("closing the connection to Neovim: %w", context.Cause(ctx))
	}
	return nil
}

// State implements adapter.Adapter. Folders are the project directory and the working directories of the connected Neovims; nil if
// the address was given.
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
	s.Folders = append(s.Folders, n.dirs()...)
	for _, one := range all {
		folders, _ := one.state()
		s.Folders = append(s.Folders, folders...)
	}
	slices.Sort(s.Folders)
	s.Folders = slices.Compact(s.Folders)
	return s
}

// absent returns the state without a connection.
func (n *Neovim) absent() adapter.State {
	s := adapter.State{
		Detail: "no Neovim with a working directory in the project listens",
		Start:  "Start nvim in the directory of the project.",
	}
	if n.address != "" {
		s.Detail = fmt.Sprintf("no Neovim listens at %.200q", n.address)
		s.Start = fmt.Sprintf("Start nvim --listen %.200q in the directory of the project.", n.address)
	}
	if err := n.unanswered(); err != nil {
		s.Detail = err.Error()
		s.Start = "Continue Neovim, or end it."
	} else if err := n.connections.Failure(false); err != nil {
		s.Detail = truncate.Line(fmt.Sprintf("connecting to Neovim failed: %v", err), maxErrorText)
		s.Start = "Check Neovim: it may be waiting for a key, or be older than 0.7."
	}
	return s
}

// Watch implements adapter.Adapter. changed is called when a Neovim connects, disconnects or changes its working directory.
func (n *Neovim) Watch(changed func()) (stop func()) { return n.announcer.Watch(changed) }

// dirs returns the directories of the project; none if each Neovim concerns it.
func (n *Neovim) dirs() []string {
	if n.options.Root == "" {
		return nil
	}
	return append([]string{n.options.Root}, n.options.Dirs...)
}

// connected returns the sessions that concern the project, last used first.
func (n *Neovim) connected() []*session {
	return slices.DeleteFunc(n.sessions(), func(s *session) bool { return !n.concerns(s) })
}

// sessions returns all sessions, last used first.
func (n *Neovim) sessions() []*session {
	all := n.connections.All()
	slices.SortFunc(all, func(a, b *session) int {
		_, usedA := a.state()
		_, usedB := b.state()
		return cmp.Or(usedB.Compare(usedA), cmp.Compare(a.endpoint.address, b.endpoint.address))
	})
	return all
}

// concerns reports whether a session concerns the project: by a given address or its working directory.
func (n *Neovim) concerns(s *session) bool {
	dirs := n.dirs()
	if s.endpoint.given || len(dirs) == 0 {
		return true
	}
	folders, _ := s.state()
	return slices.ContainsFunc(dirs, func(dir string) bool { return presence.Concern(folders, dir) })
}

// coverage returns the rank of a session for a file: the length of the innermost working directory that contains the file. It is 0
// if only the project, or the given address, makes the session suitable. It is -1 for a session that does not cover the file.
func (n *Neovim) coverage(s *session, path string) int {
	least := -1
	if s.endpoint.given || n.inProject(path) {
		least = 0
	}
	folders, _ := s.state()
	return max(least, presence.Depth(folders, path))
}

// inProject reports whether a file is in a directory of the project.
func (n *Neovim) inProject(path string) bool {
	return slices.ContainsFunc(n.dirs(), func(dir string) bool { return presence.Within(dir, path) })
}

// covering returns the sessions that cover a file: the highest coverage first, then the last used first. If there is none, it looks
// for Neovim processes once more. The error is adapter.ErrNotRunning if that finds none.
func (n *Neovim) covering(ctx context.Context, path string) ([]*session, error) {
	find := func() []*session {
		all := slices.DeleteFunc(n.connected(), func(s *session) bool { return n.coverage(s, path) < 0 })
		slices.SortStableFunc(all, func(a, b *session) int { return n.coverage(b, path) - n.coverage(a, path) })
		return all
	}
	all := find()
	if len(all) == 0 {
		n.refresh(ctx)
		all = find()
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no Neovim runs for %s: %w", path, adapter.ErrNotRunning)
	}
	return all, nil
}
