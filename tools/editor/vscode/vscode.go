package vscode

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// scanEvery is the interval of the search for new windows while no call triggers one.
const scanEvery = 2 * time.Second

// answerTime is the time for a window to answer a query about documents, or its connection, before the query fails.
const answerTime = 1500 * time.Millisecond

// Options configure a VSCode.
type Options struct {
	// Dir is the directory with the files of windows. Empty selects the default of the extension; see the package comment.
	Dir string
	// Root is the directory of the project, with every link resolved. Windows without a folder in it or around it are
	// ignored, except for documents of the project with unsaved text. Empty selects all windows.
	Root string
	// Dirs are further directories of the project, with every link resolved. Windows of them are used, too. They need Root.
	Dirs []string
	// Name and Version identify this program in windows. The default name is "dougu".
	Name, Version string
	// Log receives connected and closed windows. nil disables logging.
	Log *slog.Logger
}

// VSCode is the adapter for all windows of VS Code on this machine. Its methods can be called concurrently. Call Close to end the
// search for windows and the connections.
type VSCode struct {
	options Options
	dirs    []string // directories with the files of windows
	client  caller   // identifies this program to windows
	ctx     context.Context
	cancel  context.CancelFunc
	jobs    group.Group         // all goroutines; Close waits for them
	lookout *presence.Lookout   // searches for windows every scanEvery, and at once for a call that finds none
	news    *presence.Announcer // announces changes of State
	records *records            // log records for the output panels of the windows
	written *changes            // files that FilesChanged has reported

	connections *presence.Connections[*window, string] // by path and token of the file of the window
	chosen      *buffer.Choices[*window]               // the window from which a document was read, by path

	mu        sync.Mutex // guards the following fields
	closed    bool
	fault     error               // the error of the last search for windows
	folders   map[string][]string // of the windows that the last search has found, by the path of the file of the window
	elsewhere string              // a window with files of another machine, if the last search has found one
	pending   pendingDocuments    // unsaved documents of windows that have ended or are reloading
	reported  map[string]bool     // other versions of the extension that were logged
}

// New returns an adapter and starts the search for windows in the background.
func New(o Options) *VSCode {
	if o.Name == "" {
		o.Name = "dougu"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	v := &VSCode{
		options:     o,
		dirs:        descriptionDirs(o.Dir),
		client:      caller{o.Name, o.Version, os.Getpid()},
		lookout:     presence.NewLookout(),
		news:        presence.NewAnnouncer(),
		records:     newRecords(),
		written:     &changes{at: map[string]time.Time{}},
		reported:    map[string]bool{},
		connections: presence.NewConnections[*window, string](),
		chosen:      buffer.NewChoices[*window](),
	}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	v.jobs.Keep(v.ctx, func() { v.lookout.Run(v.ctx, scanEvery, v.openWindows) })
	v.jobs.Keep(v.ctx, func() { v.news.Run(v.ctx) })
	v.jobs.Keep(v.ctx, v.sendRecords)
	return v
}

// Name returns "vscode".
func (v *VSCode) Name() string { return "vscode" }

// Close ends the connections and the search, and waits for their goroutines until ctx ends. It changes nothing in the windows.
func (v *VSCode) Close(ctx context.Context) error {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.cancel()
	if !v.jobs.WaitUntil(ctx) {
		return fmt.Errorf("closing the connections to VS Code: %w", context.Cause(ctx))
	}
	return nil
}

// spawn runs f in a goroutine that Close waits for. After Close it returns false without running f.
func (v *VSCode) spawn(f func()) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closed {
		v.jobs.Go(f)
	}
	return !v.closed
}

// State returns the connected windows and their folders. If no window is connected, it gives the reason and the next step.
func (v *VSCode) State() adapter.State {
	windows := v.connected()
	pending, overflow := v.pendingPaths()
	if len(windows) == 0 && len(pending) == 0 && !overflow {
		return v.absent()
	}
	s := adapter.State{Running: true, Folders: pending}
	for _, w := range windows {
		folders, _ := w.state()
		s.Folders = append(append(s.Folders, folders...), w.unsavedOutside()...)
	}
	slices.Sort(s.Folders)
	s.Folders = slices.Compact(s.Folders)
	if overflow {
		s.Folders = nil // each file may be pending
	}
	if len(windows) == 0 {
		s.Detail = pendingReason
		return s
	}
	newest := windows[0].hello
	s.Detail = fmt.Sprintf("%s %s, %d window", newest.App, newest.AppVersion, len(windows))
	if len(windows) > 1 {
		s.Detail += "s"
	}
	if v.isOther(newest.Version) {
		s.Detail += fmt.Sprintf("; its extension has version %s, and this program %s: %s", newest.Version, v.options.Version, otherVersionAdvice)
	}
	return s
}

// absent returns the state without a connected window.
func (v *VSCode) absent() adapter.State {
	if err := v.connections.Failure(true); err != nil {
		return adapter.State{
			Detail: truncate.Line(fmt.Sprintf("a window of VS Code refused the connection: %v", err), maxErrorText),
			Start:  `In VS Code, run the command "Dougu: Restart", or update the extension.`,
		}
	}
	s := adapter.State{
		Detail: "no window of VS Code with the extension Dougu has a folder of the project open",
		Start:  "Open the folder of the project in VS Code, with the extension Dougu installed there.",
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.elsewhere != "" {
		s.Detail += "; " + v.elsewhere
		s.Start = "Open the folder of the project in VS Code on this machine, or run this program on the machine of the window's folders."
	}
	if v.fault != nil {
		s.Detail += "; " + truncate.Line(v.fault.Error(), maxErrorText)
	}
	return s
}

// Watch calls changed when a window connects, disconnects or changes its folders. stop ends that.
func (v *VSCode) Watch(changed func()) (stop func()) { return v.news.Watch(changed) }

// connected returns the connected windows of the project, sorted by the time at which they last had the focus: the latest first.
func (v *VSCode) connected() []*window {
	return slices.DeleteFunc(v.windows(), func(w *window) bool {
		folders, _ := w.state()
		return !v.concerns(folders)
	})
}

// windows returns all connected windows in the order of connected.
func (v *VSCode) windows() []*window {
	all := v.connections.All()
	slices.SortFunc(all, func(a, b *window) int {
		_, focusedA := a.state()
		_, focusedB := b.state()
		return cmp.Or(focusedB.Compare(focusedA), cmp.Compare(a.about.file, b.about.file))
	})
	return all
}

// concerns reports whether a window with these folders belongs to the project. Without a Root, each window with a folder does.
func (v *VSCode) concerns(folders []string) bool {
	if v.options.Root == "" {
		return len(folders) > 0
	}
	return presence.Concern(folders, v.options.Root) || slices.ContainsFunc(v.options.Dirs, func(dir string) bool { return presence.Concern(folders, dir) })
}

// covering returns the windows with a folder that contains the file, or with unsaved text of the file. The window with the nearest folder is first; among equals, the
// window with the latest focus. If there is none, covering searches for new windows once. The error then wraps adapter.ErrNotRunning.
func (v *VSCode) covering(ctx context.Context, path string) ([]*window, error) {
	all := covering(v.connected(), path)
	if len(all) == 0 {
		v.refresh(ctx)
		all = covering(v.connected(), path)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no window of VS Code has the folder of %s open: %w", path, adapter.ErrNotRunning)
	}
	return all, nil
}

// covering returns the windows with a folder that contains the file, or with unsaved text of the file, in the order of VSCode.covering.
func covering(windows []*window, path string) []*window {
	all := slices.DeleteFunc(windows, func(w *window) bool { return w.covers(path) < 0 })
	slices.SortStableFunc(all, func(a, b *window) int { return b.covers(path) - a.covers(path) })
	return all
}

// having returns the windows for requests about a document, in the order of covering. Windows of other projects are included.
func (v *VSCode) having(path string) ([]*window, error) {
	all := covering(v.windows(), path)
	if len(all) == 0 {
		return nil, fmt.Errorf("no window of VS Code has the folder of %s open: %w", path, adapter.ErrNotRunning)
	}
	return all, nil
}

// unanswered returns an error that names a window of the project which does not answer.
func (v *VSCode) unanswered() error {
	silent := v.connections.Unanswered(answerTime)
	v.mu.Lock()
	defer v.mu.Unlock()
	for file, pid := range silent {
		if v.concerns(v.folders[file]) {
			return presence.NoAnswer("VS Code", pid)
		}
	}
	return nil
}

// mayHave reports whether a window that does not answer may have unsaved text of the project: because of its folders, or because it
// has reported such text before.
func (v *VSCode) mayHave(w *window) bool {
	folders, _ := w.state()
	if v.concerns(folders) {
		return true
	}
	paths, _ := w.unsavedDocuments()
	return slices.ContainsFunc(paths, v.inProject)
}

// inProject reports whether a file is in a directory of the project.
func (v *VSCode) inProject(path string) bool {
	return v.options.Root == "" || presence.Within(v.options.Root, path) ||
		slices.ContainsFunc(v.options.Dirs, func(dir string) bool { return presence.Within(dir, path) })
}

// window returns the window for requests about a file.
func (v *VSCode) window(ctx context.Context, path string) (*window, error) {
	all, err := v.covering(ctx, path)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}
