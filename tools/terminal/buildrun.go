package terminal

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/terminal/build"
)

// buildKey identifies equal builds.
type buildKey struct {
	owner  string // principal that started it
	path   string
	system build.System
	target string
}

// buildRun is a running or recent build: the steps of a plan, one after the other.
type buildRun struct {
	key     buildKey
	plan    build.Plan
	before  snapshot // files in the output directories before the build
	note    string   // BuildResult.Note
	started time.Time
	over    chan struct{} // closed at the end of the build

	mu        sync.Mutex
	steps     []*buildStep // started steps; at least one
	err       error        // error of a step that could not be started
	ended     time.Time
	waiting   int  // number of waiting callers
	idKnown   bool // a caller has received its ID while it ran
	abandoned bool // all callers had left before that
}

// buildStep is one command of a build.
type buildStep struct {
	*proc
	matcher *build.Matcher
}

// step returns the last started step.
func (r *buildRun) step() *buildStep {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.steps[len(r.steps)-1]
}

// leave ends the wait of a caller.
func (r *buildRun) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting--
}

// keepRunning records that a caller knows the ID of the running build, so that it continues without waiting callers.
func (r *buildRun) keepRunning() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idKnown = true
}

// endIfAbandoned ends the build if its last caller has left and none knows its ID.
func (r *buildRun) endIfAbandoned() {
	r.mu.Lock()
	alone := r.waiting == 1 && !r.idKnown
	r.abandoned = r.abandoned || alone
	step := r.steps[len(r.steps)-1]
	r.mu.Unlock()
	if alone {
		step.abandon()
	}
}

// isAbandoned reports whether the build has been abandoned.
func (r *buildRun) isAbandoned() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.abandoned
}

// knownBuild returns the build of the caller that has a step with the ID.
func (t *Terminal) knownBuild(ctx context.Context, id string) (*buildRun, error) {
	t.building.Lock()
	defer t.building.Unlock()
	for _, run := range t.builds {
		run.mu.Lock()
		found := run.key.owner == caller.PrincipalOf(ctx) && slices.ContainsFunc(run.steps, func(s *buildStep) bool { return s.id == id })
		if found {
			run.waiting++
		}
		run.mu.Unlock()
		if found {
			return run, nil
		}
	}
	return nil, problem(codeUnknownProcess, t.offers().advice("Leave processId out to start a build; list_processes shows the known processes.", "Leave processId out to start a build.", "list_processes"), "there is no build %s", quote(id))
}

// beginBuild starts a build, or joins the running build with the same key.
func (t *Terminal) beginBuild(ctx context.Context, key buildKey, plan build.Plan, timeout time.Duration) (*buildRun, error) {
	t.building.Lock()
	defer t.building.Unlock()
	for _, run := range t.builds {
		run.mu.Lock()
		same := run.key == key && run.ended.IsZero() && !run.abandoned
		if same {
			run.waiting++
		}
		run.mu.Unlock()
		if same {
			return run, nil
		}
	}
	run := &buildRun{key: key, plan: plan, before: t.outputs(ctx, plan.Outputs), note: t.unsavedNote(ctx), started: time.Now(), over: make(chan struct{}), waiting: 1}
	if err := t.beginStep(ctx, run, 0, timeout); err != nil {
		return nil, err
	}
	t.builds = append(t.builds, run)
	// The build can outlive the call; the audit log still names its principal.
	life := context.WithoutCancel(ctx)
	t.work.Go(func() {
		t.build(life, run, timeout)
		timer := time.NewTimer(t.options.KeepOutput)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-t.life.Done():
		}
		t.building.Lock()
		defer t.building.Unlock()
		t.builds = slices.DeleteFunc(t.builds, func(r *buildRun) bool { return r == run })
	})
	return run, nil
}

// build runs the steps after the first until one fails.
func (t *Terminal) build(ctx context.Context, run *buildRun, timeout time.Duration) {
	defer close(run.over)
	for next := 1; ; next++ {
		step := run.step()
		<-step.over
		_ = step.matcher.Close()
		if next == len(run.plan.Steps) || step.state().exit != (process.Exit{}) || t.life.Err() != nil {
			break
		}
		if run.isAbandoned() {
			break
		}
		rest := timeout - time.Since(run.started)
		if err := t.beginStep(ctx, run, next, max(rest, time.Millisecond)); err != nil {
			run.mu.Lock()
			run.err = err
			run.mu.Unlock()
			break
		}
	}
	run.mu.Lock()
	run.ended = time.Now()
	run.mu.Unlock()
}

// beginStep starts a step of a build.
func (t *Terminal) beginStep(ctx context.Context, run *buildRun, i int, timeout time.Duration) error {
	step := run.plan.Steps[i]
	dir, _, err := t.directory(ctx, step.Dir)
	if err != nil {
		return err
	}
	matcher := build.NewMatcher(run.plan.System, filepath.ToSlash(dir))
	matcher.Root = filepath.ToSlash(t.root.Dirs()[0])
	matcher.Exists = func(name string) bool {
		info, err := t.root.Stat(ctx, name)
		return err == nil && info.Kind == security.RegularFile
	}
	streams := [...]io.Writer{process.Stdout: matcher.Stream(), process.Stderr: matcher.Stream()}
	p, err := t.start(ctx, job{
		operation: "execute_build", args: append([]string{step.Program}, step.Args...), cwd: step.Dir, extra: step.Env,
		timeout: timeout, batch: true, merge: step.Merge,
		observe: func(s process.Stream, p []byte) { _, _ = streams[s].Write(p) }, // Write never fails
	})
	if errors.Is(err, exec.ErrNotFound) {
		return build.ToolMissing(run.plan.System, step.Program, err)
	}
	if err != nil {
		return err
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	run.steps = append(run.steps, &buildStep{p, matcher})
	return nil
}
