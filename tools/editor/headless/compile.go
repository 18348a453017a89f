package headless

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// compiler is a compiler that checks the files of languages for which no language server can be started.
type compiler struct {
	Name      string   // for messages
	Languages []string // identifiers of the Language Server Protocol
	Command   string   // a name that is looked for in Options.Search
	// RootMarkers are names of files in the topmost directory of a project, as in Server. Without a marker the files are not checked,
	// if NeedsMarker is set.
	RootMarkers []string
	NeedsMarker bool
	RunsProject bool // it runs code of the project, for example build scripts
	// ExtraInputs are names of further files that the compiler reads. A change of a file with one of these names, with a root marker's
	// name, or of one of the languages makes another run necessary. Changes of other files that the compiler reads are not noticed, for
	// example of a configuration in a hidden directory, or of a text that the code includes.
	ExtraInputs []string
	// OutputDir is the directory below the folder to which the compiler writes, with slashes. Empty if it writes elsewhere.
	OutputDir string
	// Arguments returns the arguments for the files of a folder. dir is a temporary directory.
	Arguments func(dir string, paths []string) ([]string, error)
	// Parse returns the outcome from the output of a run of the compiler.
	Parse func(folder string, start time.Time, stdout, stderr string) compilerOutput
}

// compilerOutput is the outcome of one run of a compiler.
type compilerOutput struct {
	items []adapter.Diagnostic
	// compiled reports whether the compiler has checked a file completely. If not, reason says why.
	compiled func(path string) (ok bool, reason, next string)
	notes    []string
	failed   bool // the compiler has checked nothing
}

// compilers returns the supported compilers.
func compilers() []compiler {
	return []compiler{cargo(), javac()}
}

// Limits of a run of a compiler.
const (
	compileTimeout   = 10 * time.Minute
	maxCompileOutput = 32 << 20 // bytes of each output stream
)

// compilation is one run of a compiler on a folder. It goes on when the request ends that has started it.
type compilation struct {
	events int  // number of project events at the start
	first  bool // no earlier run has finished
	cancel context.CancelFunc
	done   chan struct{}

	// Set before done is closed.
	reports []fileReport
	notes   []string
	failed  bool // the compiler has checked nothing; the next request starts it again
}

// compilerFor returns the compiler that can check a file, and the folder on which it works. missing is the reason why an installed
// compiler cannot.
func (h *Headless) compilerFor(path string) (c compiler, folder string, usable bool, missing string) {
	language := h.project.languageOf(path)
	for _, known := range h.compilers {
		if !slices.Contains(known.Languages, language) {
			continue
		}
		folder = h.folderOf(path, known.RootMarkers)
		if _, ok := h.find(Server{Command: known.Command}); !ok || known.NeedsMarker && !exists(folder, known.RootMarkers) {
			continue
		}
		if h.trusts(known.RunsProject) {
			return known, folder, true, ""
		}
		missing = known.Name + " runs code of the project, which is not trusted"
	}
	return compiler{}, "", false, missing
}

// compileTasks are files to check, by the name of the compiler and its folder.
type compileTasks map[instanceKey]*compileTask

type compileTask struct {
	compiler compiler
	paths    []string
}

func (t compileTasks) add(c compiler, folder, path string) {
	key := instanceKey{c.Name, folder}
	if t[key] == nil {
		t[key] = &compileTask{compiler: c}
	}
	t[key].paths = append(t[key].paths, path)
}

// start runs the compilers in work. The results go to f.
func (t compileTasks) start(ctx context.Context, h *Headless, f *findings, work *group.Group) {
	for key, task := range t {
		work.Go(func() { h.compile(ctx, task.compiler, key.folder, task.paths, f) })
	}
}

// compileWithoutServer checks files without a language server with compilers, as tasks of work. The value of a file is the error that
// gives the reason why it has no server. It is the reason of an unchecked file if there is no compiler either.
func (h *Headless) compileWithoutServer(ctx context.Context, withoutServer map[string]error, f *findings, work *group.Group) {
	tasks := make(compileTasks)
	for _, path := range slices.Sorted(maps.Keys(withoutServer)) {
		c, folder, ok, missing := h.compilerFor(path)
		if !ok {
			reason, next := h.withoutCompiler(withoutServer[path], missing)
			f.addUnchecked([]string{path}, reason, next)
			continue
		}
		tasks.add(c, folder, path)
		f.addCovered(path)
	}
	tasks.start(ctx, h, f, work)
}

// compileInstead checks files with a compiler after their server did not start. It returns the files without a compiler.
func (h *Headless) compileInstead(ctx context.Context, paths []string, f *findings) (rest []string) {
	if ctx.Err() != nil {
		return paths // the server is still starting
	}
	tasks := make(compileTasks)
	for _, path := range paths {
		if c, folder, ok, _ := h.compilerFor(path); ok {
			tasks.add(c, folder, path)
		} else {
			rest = append(rest, path)
		}
	}
	var work group.Group
	work.OnPanic = f.onPanic(h.work.OnPanic)
	tasks.start(ctx, h, f, &work)
	work.Wait()
	return rest
}

// withoutCompiler returns the reason and the next step for a file without a server. missing is the reason why an installed compiler
// cannot check it either.
func (h *Headless) withoutCompiler(noServer error, missing string) (reason, next string) {
	reason, next = reasonAndStep(noServer)
	if missing != "" && next != h.trustHint() {
		return reason + ", and " + missing, h.trustHint()
	}
	return reason, next
}

// compile adds the reports of a compiler on files to f. It starts the compiler, unless a run for the present files is there.
func (h *Headless) compile(ctx context.Context, c compiler, folder string, paths []string, f *findings) {
	run, err := h.finishedRun(ctx, c, folder)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		f.addUnchecked(paths, c.Name+" has not finished", "Call again with a longer waitMs.")
		return
	default:
		text, next := reasonAndStep(err)
		f.addUnchecked(paths, c.Name+": "+text, next)
		return
	}
	changed, err := h.changedSince(ctx, c, folder, run.events)
	changed = changed || err != nil
	unsaved := h.unsavedSources(ctx, c, folder)
	known := make(map[string]fileReport, len(run.reports))
	for _, r := range run.reports {
		known[r.check.Path] = r
	}
	for _, path := range paths {
		r, ok := known[path]
		switch {
		case !ok && changed:
			f.addUnchecked([]string{path}, "files changed during the check", "Call again.")
			continue
		case !ok:
			f.addUnchecked([]string{path}, "it is not among the files that "+c.Name+" compiles", "If it is new, call again.")
			continue
		case changed && r.check.State == adapter.Checked:
			r.check.State, r.check.Reason, r.check.Next = adapter.Stale, "files changed during the check", "Call again."
		case unsaved != "" && r.check.State == adapter.Checked:
			r.check.State, r.check.Reason, r.check.Next = adapter.Stale, c.Name+" reads the disk, and "+unsaved, "Ask the user to save it."
		}
		f.add(r)
	}
	for _, note := range run.notes {
		f.note(note)
	}
}

// unsavedSources says which source of a compiler in a folder has unsaved text, or why that is not known; "" if none has. An unsaved
// source can cause errors in all files of the folder, and remove errors.
func (h *Headless) unsavedSources(ctx context.Context, c compiler, folder string) string {
	ctx, view := h.root.View(ctx)
	files, err := h.root.UnsavedFiles(ctx)
	if err != nil {
		return "unsaved text could not be listed: " + reason(err)
	}
	for _, file := range files {
		name := filepath.Join(h.dirs[file.Dir], filepath.FromSlash(file.Rel))
		if rel, err := filepath.Rel(folder, name); err == nil && filepath.IsLocal(rel) && slices.Contains(c.Languages, h.project.languageOf(name)) {
			return file.Path + " has unsaved text"
		}
	}
	return view.Problem()
}

// finishedRun returns the run of a compiler for the present files of the project, after its end. It is an error only if ctx ends
// before, or if the files are not known. If another request has replaced a run before its end, finishedRun waits for the replacement.
func (h *Headless) finishedRun(ctx context.Context, c compiler, folder string) (*compilation, error) {
	for {
		run, err := h.currentRun(ctx, c, folder)
		if err != nil {
			return nil, err
		}
		select {
		case <-run.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		h.mu.Lock()
		replaced := h.compilations[instanceKey{c.Name, folder}] != run
		h.mu.Unlock()
		if !run.failed || !replaced {
			return run, nil
		}
	}
}

// currentRun returns the run of a compiler for the present files of the project. It is started if necessary, also after a run that
// failed.
func (h *Headless) currentRun(ctx context.Context, c compiler, folder string) (*compilation, error) {
	_, now, _, err := h.project.changes(ctx, -1)
	if err != nil {
		return nil, err
	}
	key := instanceKey{c.Name, folder}
	h.mu.Lock()
	old := h.compilations[key]
	h.mu.Unlock()
	if old != nil && !(wait.IsClosed(old.done) && old.failed) {
		if changed, err := h.changedSince(ctx, c, folder, old.events); err != nil || !changed {
			return old, err
		}
	}
	all, err := h.compiledFiles(ctx, c, folder)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.closed:
		return nil, unsupported("Open the project again.", "the project was closed")
	default:
	}
	if other := h.compilations[key]; other != old {
		return other, nil // another request has started it meanwhile
	}
	run := &compilation{events: now, first: old == nil || old.first && !wait.IsClosed(old.done), done: make(chan struct{})}
	if old != nil {
		old.cancel()
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	run.cancel = cancel
	h.compilations[key] = run
	previous := h.compiling
	finished := make(chan struct{})
	h.compiling = finished
	stop := h.cancelOnClose(cancel)
	h.work.Go(func() {
		defer stop()
		defer cancel()
		defer close(run.done)
		defer close(finished)
		if previous != nil { // one compiler at a time
			<-previous
		}
		limited, end := context.WithTimeout(background, compileTimeout) // without the time in the queue
		defer end()
		run.reports, run.notes, run.failed = h.runCompiler(limited, c, folder, all)
	})
	return run, nil
}

// changedSince reports whether an input of a compiler has changed since a number of project events. compiler.ExtraInputs lists the
// inputs.
func (h *Headless) changedSince(ctx context.Context, c compiler, folder string, events int) (bool, error) {
	changes, _, complete, err := h.project.changes(ctx, events)
	if err != nil {
		return false, err
	}
	return !complete || slices.ContainsFunc(changes, func(e lsp.FileEvent) bool {
		rel, err := filepath.Rel(folder, e.Path)
		if err != nil || !filepath.IsLocal(rel) || c.OutputDir != "" && strings.HasPrefix(filepath.ToSlash(rel), c.OutputDir+"/") {
			return false
		}
		name := filepath.Base(e.Path)
		return slices.Contains(c.Languages, h.project.languageOf(e.Path)) || slices.Contains(c.RootMarkers, name) || slices.Contains(c.ExtraInputs, name)
	}), nil
}

// compiledFiles returns the files of a folder that a compiler gets, sorted.
func (h *Headless) compiledFiles(ctx context.Context, c compiler, folder string) ([]string, error) {
	all, err := h.project.scanned(ctx, folder, c.Languages)
	slices.Sort(all)
	return all, err
}

// runCompiler runs a compiler and returns a report on each file. failed means that the compiler has checked nothing.
func (h *Headless) runCompiler(ctx context.Context, c compiler, folder string, paths []string) (_ []fileReport, notes []string, failed bool) {
	output, err := h.execCompiler(ctx, c, folder, paths)
	reports := make([]fileReport, 0, len(paths))
	if err != nil {
		text, next := reasonAndStep(err)
		for _, path := range paths {
			reports = append(reports, fileReport{check: adapter.FileCheck{Path: path, State: adapter.Unchecked, Reason: c.Name + " failed: " + text, Next: next}})
		}
		return reports, nil, true
	}
	items := make(map[string][]adapter.Diagnostic)
	for _, d := range output.items {
		items[d.Path] = append(items[d.Path], d)
	}
	for _, path := range paths {
		check := adapter.FileCheck{Path: path, State: adapter.Checked, By: c.Name}
		if ok, reason, next := output.compiled(path); !ok {
			check.State, check.Reason, check.Next = adapter.Unchecked, reason, next
		}
		reports = append(reports, fileReport{items[path], check})
	}
	return reports, output.notes, output.failed
}

// execCompiler runs a compiler in the sandbox of the Options and parses its output. Its exit status does not count: compilers fail
// when they find errors.
func (h *Headless) execCompiler(ctx context.Context, c compiler, folder string, paths []string) (compilerOutput, error) {
	if ctx.Err() != nil {
		return compilerOutput{}, interrupted(ctx)
	}
	program, ok := h.find(Server{Command: c.Command})
	if !ok {
		return compilerOutput{}, compilerFailure("Install "+c.Command+", and call again.", "%s is not installed", c.Command)
	}
	dir, err := os.MkdirTemp(h.o.Sandbox.Temp(), "dougu-compile-")
	if err != nil {
		return compilerOutput{}, err
	}
	defer os.RemoveAll(dir)
	args, err := c.Arguments(dir, paths)
	if err != nil {
		return compilerOutput{}, err
	}
	command := append(slices.Clone(program.Command), args...)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = folder, h.environmentFor(program)
	server := Server{Name: c.Name}
	if c.RunsProject {
		server.Writes = []string{"."}
	}
	start := time.Now()
	stdout, stderr, err := runToEnd(ctx, cmd, h.confine(server, folder))
	if err != nil {
		return compilerOutput{}, err
	}
	return c.Parse(folder, start, stdout, stderr), nil
}

// runToEnd runs a program without input and returns its output, whatever its exit status is. An output over maxCompileOutput and the
// end of the context are errors.
func runToEnd(ctx context.Context, cmd *exec.Cmd, wrap func(*exec.Cmd) (func(), error)) (stdout, stderr string, err error) {
	var mu sync.Mutex
	var errs strings.Builder
	var ended func()
	defer func() {
		if ended != nil {
			ended()
		}
	}()
	child, err := process.StartWith(cmd, process.Options{
		Wrap: func(cmd *exec.Cmd) (err error) {
			ended, err = wrap(cmd)
			return err
		},
		Stderr: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			if errs.Len() <= maxCompileOutput {
				errs.WriteString(line + "\n")
			}
		},
	})
	if err != nil {
		return "", "", err
	}
	var out bytes.Buffer
	var reading group.Group
	var readErr error
	read := make(chan struct{})
	reading.Go(func() {
		defer close(read)
		_, readErr = io.Copy(&out, io.LimitReader(child.Stdout, maxCompileOutput+1))
	})
	_ = child.Stdin.Close()
	select {
	case <-read:
		select {
		case <-child.Done():
		case <-time.After(exitGrace):
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	_ = child.Stop(context.Background(), 0)
	reading.Wait()
	mu.Lock()
	defer mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return "", "", interrupted(ctx)
	case out.Len() > maxCompileOutput || errs.Len() > maxCompileOutput:
		return "", "", compilerFailure("Correct the first errors, and call again.", "it printed more than %d MiB", maxCompileOutput>>20)
	}
	return out.String(), errs.String(), readErr
}

// interrupted returns the error for a compiler that was ended because ctx has ended.
func interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return compilerFailure("Check the project with its own build tool.", "it did not finish within %d minutes", int(compileTimeout.Minutes()))
	}
	return compilerFailure("Call again.", "it was ended")
}

// compilerFailure returns the error for a compiler that checked nothing.
func compilerFailure(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeServerFailed, Message: fmt.Sprintf(format, args...), Next: next}
}

// errorLine returns the first line of a compiler's output that begins with "error", or else the last line. Lines after "--- stderr"
// are those of a program that cargo ran, and come first. The line becomes the reason of an unchecked file.
func errorLine(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "--- stderr" && i+1 < len(lines) {
			lines = lines[i+1:]
			break
		}
	}
	for _, line := range lines {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "error") {
			return bound(line)
		}
	}
	return cmp.Or(bound(lines[len(lines)-1]), "it printed no result")
}

// compilerPath returns the absolute path of a file that a compiler names.
func compilerPath(folder, name string) string {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	return filepath.Clean(name)
}
