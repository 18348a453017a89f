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
	// defaultPatience is how long a command waits for Unity to reload.
	defaultPatience = 30 * time.Second
)

// howToStart is the next step where no Unity is found.
const howToStart = "Open the project in Unity with the package MCP for Unity installed, choose the transport Stdio in its window (Window > MCP for Unity), and start the session there"

// Options say which Unity editors are used. The zero value uses all of this user.
type Options struct {
	// StatusDir is where the editors write their status files. Empty is $UNITY_MCP_STATUS_DIR or, if that is not set, .unity-mcp in the
	// home directory.
	StatusDir string
	// Root is the directory of the project. A Unity whose project is neither in it nor around it is left
	// alone. Empty is all.
	Root string
	// Patience is how long a command waits for a Unity that reloads its scripts, if its context does not end before: 30 seconds by
	// default.
	Patience time.Duration
	// Log receives editors that start and end. nil disables logging.
	Log *slog.Logger
}

// Unity is the adapter for all running Unity editors. Close must be called.
type Unity struct {
	options Options
	bridge  *bridge.Bridge
	cancel  context.CancelFunc
	ctx     context.Context
	jobs    group.Group
	lookout *presence.Lookout
	news    *presence.Announcer

	mu      sync.Mutex
	editors []bridge.Editor // that have to do with the project
	changed time.Time       // when a C# file was last changed by the tools
}

// New begins to look for Unity.
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
	u := &Unity{options: o, bridge: bridge.New(dir), lookout: presence.NewLookout(), news: presence.NewAnnouncer()}
	u.ctx, u.cancel = context.WithCancel(context.Background())
	first, done := context.WithTimeout(u.ctx, firstLook)
	u.look(first) // so that the first call finds running editors
	done()
	u.jobs.Keep(u.ctx, func() { u.lookout.Run(u.ctx, scanEvery, func() { u.look(u.ctx) }) })
	u.jobs.Keep(u.ctx, func() { u.news.Run(u.ctx) })
	return u, nil
}

// Name is "unity".
func (u *Unity) Name() string { return "unity" }

// Close leaves Unity as it is.
func (u *Unity) Close(context.Context) error {
	u.cancel()
	u.jobs.Wait()
	return nil
}

// Watch tells when Unity comes, goes or reloads.
func (u *Unity) Watch(changed func()) (stop func()) { return u.news.Watch(changed) }

// look reads the status files.
func (u *Unity) look(ctx context.Context) {
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
	u.news.Announce()
}

// State tells which Unity runs.
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

// running are the editors as they were last seen.
func (u *Unity) running() []bridge.Editor {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.editors)
}

// covering is the editor whose project a file lies in; ok is false if there is none.
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
		u.lookout.Look(ctx)
		find()
	}
	return found, ok
}

// call sends a command to an editor. With repeat, the command is repeated if the connection ends before the answer.
func (u *Unity) call(ctx context.Context, e bridge.Editor, command string, params any, repeat bool) (*bridge.Answer, error) {
	return u.bridge.Call(ctx, e.Hash, command, params, u.patience(ctx), repeat)
}

// patience is how long a command may wait for Unity, so that the caller hears of it before ctx ends.
func (u *Unity) patience(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return u.options.Patience
	}
	left := time.Until(end)
	return min(max(left-min(250*time.Millisecond, left/4), 0), u.options.Patience)
}

// FilesChanged notes when C# was changed, which Unity has then yet to compile.
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
