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
}

// compilerFor returns the compiler for a language that can run. missing is the reason why an installed one cannot.
func (h *Headless) compilerFor(language, folder string) (c compiler, usable bool, missing string) {
	for _, c := range h.compilers {
		if !slices.Contains(c.Languages, language) {
			continue
		}
		if _, ok := h.find(Server{Command: c.Command}); !ok || c.NeedsMarker && !exists(folder, c.RootMarkers) {
			continue
		}
		if h.trusts(c.RunsProject) {
			return c, true, ""
		}
		missing = c.Name + " runs code of the project, which is not trusted"
	}
	return compiler{}, false, missing
}

// compileUnserved checks files without a language server with compilers, in work. The value of a file is the error that gives the
// reason why it has no server.
func (h *Headless) compileUnserved(ctx context.Context, unserved map[string]error, f *findings, work *group.Group) {
	type run struct {
		compiler compiler
		paths    []string
	}
	runs := make(map[instanceKey]*run)
	for _, path := range slices.Sorted(maps.Keys(unserved)) {
		c, folder, ok := h.compilerOf(path, unserved[path], f)
		if !ok {
			continue
		}
		key := instanceKey{c.Name, folder}
		if runs[key] == nil {
			runs[key] = &run{compiler: c}
		}
		runs[key].paths = append(runs[key].paths, path)
		f.addCovered(path)
	}
	for key, r := range runs {
		work.Go(func() { h.compile(ctx, r.compiler, key.folder, r.paths, f) })
	}
}

// compileInstead checks files with a compiler after their server did not start. It returns the files without a compiler.
func (h *Headless) compileInstead(ctx context.Context, paths []string, f *findings) (rest []string) {
	if ctx.Err() != nil {
		return paths // the server is still starting
	}
	unserved := make(map[string]error)
	for _, path := range paths {
		language := h.project.languageOf(path)
		if _, ok, _ := h.compilerFor(language, h.compileFolder(path, language)); ok {
			unserved[path] = nil
		} else {
			rest = append(rest, path)
		}
	}
	var work group.Group
	work.OnPanic = f.onPanic(h.work.OnPanic)
	h.compileUnserved(ctx, unserved, f, &work)
	work.Wait()
	return rest
}

// compilerOf returns the compiler for a file, and the folder on which it works. Without one it records the file as unchecked.
func (h *Headless) compilerOf(path string, noServer error, f *findings) (c compiler, folder string, ok bool) {
	language := h.project.languageOf(path)
	folder = h.compileFolder(path, language)
	c, ok, missing := h.compilerFor(language, folder)
	if ok {
		return c, folder, true
	}
	reason, next := h.withoutCompiler(noServer, missing)
	f.addUnchecked([]string{path}, reason, next)
	return compiler{}, "", false
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

// compileFolder returns the folder on which the compiler of a language works for a file.
func (h *Headless) compileFolder(path, language string) string {
	for _, c := range h.compilers {
		if slices.Contains(c.Languages, language) {
			return h.folderOf(path, c.RootMarkers)
		}
	}
	return ""
}

// compile adds the reports of a compiler on files to f. It starts the compiler, unless a run for the present files is there.
func (h *Headless) compile(ctx context.Context, c compiler, folder string, paths []string, f *findings) {
	run, err := h.compilation(ctx, c, folder)
	if err != nil {
		text, next := reasonAndStep(err)
		f.addUnchecked(paths, c.Name+": "+text, next)
		return
	}
	select {
	case <-run.done:
	case <-ctx.Done():
		f.addUnchecked(paths, c.Name+" has not finished", "Call again with a longer waitMs.")
		return
	}
	changed, err := h.changedSince(ctx, c, folder, run.events)
	changed = changed || err != nil
	known := make(map[string]fileReport, len(run.reports))
	for _, r := range run.reports {
		known[r.check.Path] = r
	}
	for _, path := range paths {
		r, ok := known[path]
		switch {
		case !ok:
			f.addUnchecked([]string{path}, c.Name+" has not seen it", "Call again.")
			continue
		case changed && r.check.State == adapter.Checked:
			r.check.State, r.check.Reason, r.check.Next = adapter.Stale, "files changed during the check", "Call again."
		}
		f.add(r)
	}
	for _, note := range run.notes {
		f.note(note)
	}
}

// compilation returns the run of a compiler for the present files of the project. It is started if necessary.
func (h *Headless) compilation(ctx context.Context, c compiler, folder string) (*compilation, error) {
	_, now, _, err := h.project.changes(ctx, -1)
	if err != nil {
		return nil, err
	}
	key := instanceKey{c.Name, folder}
	h.mu.Lock()
	old := h.compilations[key]
	h.mu.Unlock()
	if old != nil {
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
	background, cancel := context.WithTimeout(context.WithoutCancel(ctx), compileTimeout)
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
			select {
			case <-previous:
			case <-background.Done():
				<-previous
			}
		}
		run.reports, run.notes = h.runCompiler(background, c, folder, all)
	})
	return run, nil
}

// changedSince reports whether a file that a compiler reads has changed since a number of project events.
func (h *Headless) changedSince(ctx context.Context, c compiler, folder string, events int) (bool, error) {
	changes, _, complete, err := h.project.changes(ctx, events)
	if err != nil {
		return false, err
	}
	return !complete || slices.ContainsFunc(changes, func(e lsp.FileEvent) bool {
		rel, err := filepath.Rel(folder, e.Path)
		if err != nil || !filepath.IsLocal(rel) || strings.HasPrefix(filepath.ToSlash(rel), cargoTarget+"/") {
			return false
		}
		return slices.Contains(c.Languages, h.project.languageOf(e.Path)) || slices.Contains(c.RootMarkers, filepath.Base(e.Path))
	}), nil
}

// compiledFiles returns the files of a folder that a compiler gets, sorted.
func (h *Headless) compiledFiles(ctx context.Context, c compiler, folder string) ([]string, error) {
	all, err := h.project.scanned(ctx, folder, c.Languages)
	slices.Sort(all)
	return all, err
}

// runCompiler runs a compiler and returns a report on each file.
func (h *Headless) runCompiler(ctx context.Context, c compiler, folder string, paths []string) ([]fileReport, []string) {
	output, err := h.compilerOutput(ctx, c, folder, paths)
	reports := make([]fileReport, 0, len(paths))
	if err != nil {
		text, next := reasonAndStep(err)
		for _, path := range paths {
			reports = append(reports, fileReport{check: adapter.FileCheck{Path: path, State: adapter.Unchecked, Reason: c.Name + " failed: " + text, Next: next}})
		}
		return reports, nil
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
	return reports, output.notes
}

// compilerOutput runs a compiler in the sandbox of the Options and parses its output. Its exit status does not count: compilers fail
// when they find errors.
func (h *Headless) compilerOutput(ctx context.Context, c compiler, folder string, paths []string) (compilerOutput, error) {
	program, ok := h.find(Server{Command: c.Command})
	if !ok {
		return compilerOutput{}, fmt.Errorf("%s is not installed", c.Command)
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
	if ended != nil {
		ended()
	}
	mu.Lock()
	defer mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return "", "", fmt.Errorf("it was ended: %w", context.Cause(ctx))
	case out.Len() > maxCompileOutput || errs.Len() > maxCompileOutput:
		return "", "", errors.New("it printed more than " + fmt.Sprint(maxCompileOutput>>20) + " MiB")
	}
	return out.String(), errs.String(), readErr
}

// complaint returns the last line of a compiler's output that has text, for a reason.
func complaint(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "error") {
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
