package unity

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

const (
	// scanEvery is the interval of scans for status files while no call triggers one.
	scanEvery = time.Second
	// firstLook limits the first scan in New.
	firstLook = 500 * time.Millisecond
	// defaultPatience is the default of Options.Patience.
	defaultPatience = 30 * time.Second
)

// howToStart is the next step if no Unity is found.
const howToStart = "Open the project in Unity with the package MCP for Unity installed, choose the transport Stdio in its window (Window > MCP for Unity), and start the session there"

// Options configure New. The zero value uses all Unity editors of the user.
type Options struct {
	// StatusDir is the directory in which the editors write their status files. The default is $UNITY_MCP_STATUS_DIR, or .unity-mcp
	// in the home directory.
	StatusDir string
	// Root is the directory of the project. A Unity editor is used if its project is in this directory, is equal to it, or contains
	// it. Empty uses all.
	Root string
	// Patience is the longest time that a command waits for a Unity that reloads its scripts. A deadline of the call shortens it.
	// The default is 30 seconds.
	Patience time.Duration
	// Log receives a message when a Unity editor starts, ends or reloads. nil disables logging.
	Log *slog.Logger
}

// Unity is the adapter for the running Unity editors that Options.Root selects. Close must be called.
type Unity struct {
	options   Options
	bridge    *bridge.Bridge // reads status files and sends commands
	cancel    context.CancelFunc
	ctx       context.Context
	jobs      group.Group
	lookout   *presence.Lookout   // calls look, periodically and on request
	announcer *presence.Announcer // notifies watchers of changes of State

	mu      sync.Mutex      // guards editors and changed
	editors []bridge.Editor // editors that Options.Root selects
	changed time.Time       // time of the last change of a C# file by the tools
}

// New returns the adapter, looks for Unity once, and then looks periodically in the background.
func New(o Options) (*Unity, error) {
	dir, err := bridge.Dir(o.StatusDir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(o.Root); err == nil && o.Root != "" {
		o.Root = real
	}
	o.Patience = cmp.Or(max(o.Patience, 0), defaultPatience)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	u := &Unity{options: o, bridge: bridge.New(dir), lookout: presence.NewLookout(), announcer: presence.NewAnnouncer()}
	u.ctx, u.cancel = context.WithCancel(context.Background())
	first, done := context.WithTimeout(u.ctx, firstLook)
	u.readStatus(first) // so that the first call finds running editors
	done()
	u.jobs.Keep(u.ctx, func() { u.lookout.Run(u.ctx, scanEvery, func() { u.readStatus(u.ctx) }) })
	u.jobs.Keep(u.ctx, func() { u.announcer.Run(u.ctx) })
	return u, nil
}

// Name is "unity".
func (u *Unity) Name() string { return "unity" }

// Close implements adapter.Adapter. It ends the background work, and later calls find no editor; Unity keeps running.
func (u *Unity) Close(context.Context) error {
	u.cancel()
	u.jobs.Wait()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.editors = nil
	return nil
}

// Watch implements adapter.Adapter. changed is called when a Unity editor starts, ends or reloads.
func (u *Unity) Watch(changed func()) (stop func()) { return u.announcer.Watch(changed) }

// readStatus reads the status files of all Unity editors and keeps the editors whose project is in or around Options.Root. A change of
// State is announced to the watchers.
func (u *Unity) readStatus(ctx context.Context) {
	found := slices.DeleteFunc(u.bridge.Editors(ctx), func(e bridge.Editor) bool {
		return u.options.Root != "" && !presence.Concern([]string{e.Project}, u.options.Root)
	})
	before := u.State()
	u.mu.Lock()
	u.editors = found
	u.mu.Unlock()
	after := u.State()
	if reflect.DeepEqual(before, after) {
		return
	}
	u.options.Log.Info("what runs of Unity has changed", "state", after.Detail)
	u.announcer.Announce()
}

// State implements adapter.Adapter. A Unity editor that reloads its scripts still counts as running.
func (u *Unity) State() adapter.State {
	all := u.running()
	if len(all) == 0 {
		return adapter.State{Detail: "no Unity with a project of this directory listens", Start: howToStart}
	}
	s := adapter.State{Running: true}
	var details []string
	for _, e := range all {
		detail := strings.TrimSpace("Unity " + e.Version)
		detail += fmt.Sprintf(" with %s", e.Name)
		if e.Reloading {
			detail += ", reloading its scripts"
		}
		details = append(details, detail)
		s.Folders = append(s.Folders, e.Project)
	}
	slices.Sort(details)
	s.Detail = strings.Join(details, "; ")
	slices.Sort(s.Folders)
	s.Folders = slices.Compact(s.Folders)
	return s
}

// running returns the editors that the last look found.
func (u *Unity) running() []bridge.Editor {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.editors)
}

// covering returns the editor with the innermost project that contains a file; ok is false if there is none.
func (u *Unity) covering(ctx context.Context, path string) (found bridge.Editor, ok bool) {
	find := func() {
		deepest := -1
		for _, e := range u.running() {
			if depth := presence.Depth([]string{e.Project}, path); depth > deepest {
				found, deepest, ok = e, depth, true
			}
		}
	}
	if find(); !ok {
		u.lookout.Refresh(ctx)
		find()
	}
	return found, ok
}

// call sends a command to an editor. With repeat, the command is sent again if the connection ends before the answer. repeat is
// false for commands with side effects.
func (u *Unity) call(ctx context.Context, e bridge.Editor, command string, params any, repeat bool) (*bridge.Answer, error) {
	return u.bridge.Call(ctx, e.Hash, command, params, u.patience(ctx), repeat)
}

// patience returns the time that a command may wait for Unity: Options.Patience, or less if ctx has a deadline. It ends 250 ms
// before the deadline, or a quarter of the remaining time if that is shorter, so that the caller receives the error.
func (u *Unity) patience(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return u.options.Patience
	}
	left := time.Until(end)
	return min(max(left-min(250*time.Millisecond, left/4), 0), u.options.Patience)
}

// FilesChanged implements adapter.Listener. It records the time of a change of C# files: until Unity has compiled them, its
// diagnostics are stale.
func (u *Unity) FilesChanged(paths []string) {
	if !slices.ContainsFunc(paths, isScript) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.changed = time.Now()
}

func (u *Unity) lastChange() time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.changed
}

func isScript(path string) bool { return strings.EqualFold(filepath.Ext(path), ".cs") }
