package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
)

// Call is a run of git.
type Call struct {
	// Args are the command and its arguments. The caller must keep untrusted values from being parsed as options.
	Args []string
	// Input is the standard input.
	Input []byte
	// Env are additional variables.
	Env []string
	// Limit is the timeout. The default is 10 seconds.
	Limit time.Duration
	// Most is the most bytes of output. The default is 4 MiB.
	Most int
	// Said receives the standard error output, for example the progress, unless it is nil.
	Said *strings.Builder
}

// Failure is the error of a run of git with an exit code other than 0.
type Failure struct {
	// Command is the git command, Code the exit code.
	Command string
	Code    int
	// Said is the end of the error output, without passwords in URLs.
	Said string
}

// Error returns the command and its error output.
func (f *Failure) Error() string {
	return fmt.Sprintf("git %s: exit status %d: %s", f.Command, f.Code, f.Said)
}

// grace is the time that git has to end after the first signal, to remove its locks.
const grace = 2 * time.Second

// commands are the commands that Run accepts. For each, the settings that run programs are known and overridden.
var commands = []string{
	"add", "am", "blame", "branch", "cat-file", "check-attr", "check-ref-format", "cherry-pick", "commit", "config", "diff", "diff-tree", "fetch", "for-each-ref", "hash-object",
	"log", "ls-files", "ls-tree", "merge", "merge-base", "push", "rebase", "remote", "rev-list", "rev-parse", "revert", "rm", "status", "switch", "symbolic-ref", "worktree",
}

// mergeCommands are the commands that look for changes before a merge, also in submodules if .gitmodules configures it.
var mergeCommands = []string{"am", "cherry-pick", "merge", "rebase", "revert"}

// Run runs git in the directory and returns its output, truncated with ErrTooMuch. No program of the repository runs. Git takes
// no optional locks and uses no network unless Env allows it. A *Failure comes with the output.
//
// Submodules are repositories with a configuration of their own, which is not read. Commands therefore skip them: Run disables
// them for status, diff and the merging commands, and the arguments of add and commit must name files.
func (r *Repository) Run(ctx context.Context, c Call) ([]byte, error) {
	if !slices.Contains(commands, c.Args[0]) {
		return nil, fmt.Errorf("git %s is not among the commands that are used here", c.Args[0])
	}
	if name := c.Args[0]; (name == "status" || name == "diff") && !slices.ContainsFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "--ignore-submodules=") }) {
		c.Args = slices.Insert(slices.Clone(c.Args), 1, "--ignore-submodules=dirty")
	}
	off := fixedSettings()
	for _, g := range r.guards {
		s, err := g.current(ctx)
		if err != nil {
			return nil, err
		}
		off = append(off, s.off...)
	}
	if slices.Contains(mergeCommands, c.Args[0]) {
		ignored, err := r.ignoreSubmodules(ctx)
		if err != nil {
			return nil, err
		}
		off = append(off, ignored...)
	}
	return r.execute(ctx, c, off)
}

// execute runs git with additional options before the command.
func (r *Repository) execute(ctx context.Context, c Call, off []string) ([]byte, error) {
	if c.Limit <= 0 {
		c.Limit = timeout
	}
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("git %s: %w", c.Args[0], err)
	}
	cmd := exec.Command(r.program, slices.Concat(r.options(), off, c.Args)...)
	cmd.Dir, cmd.Env = r.dir, slices.Concat(r.env, r.pinnedEnv(), c.Env)
	detach(cmd)
	out, said := &boundedBuffer{most: c.outputLimit()}, &tail{most: maxError}
	child, err := process.Capture(cmd, process.CaptureOptions{Input: c.Input != nil, Output: func(s process.Stream, p []byte) {
		if s == process.Stdout {
			_, _ = out.Write(p)
		} else {
			said.write(p)
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", c.Args[0], err)
	}
	var feeding group.Group
	if c.Input != nil {
		feeding.Go(func() {
			_, _ = io.Copy(child, bytes.NewReader(c.Input)) // git need not read all of it
			_ = child.CloseInput()
		})
	}
	ended := true
	select {
	case <-child.Ended():
	case <-ctx.Done():
		ended = false
		err = child.Stop(process.Terminate, grace)
	}
	err = errors.Join(err, child.Close())
	feeding.Wait()
	if !ended {
		return nil, errors.Join(fmt.Errorf("git %s: %w", c.Args[0], context.Cause(ctx)), err)
	}
	if c.Said != nil {
		c.Said.WriteString(said.text())
	}
	if code := child.Exit().Code; code != 0 {
		return out.bytes(), &Failure{Command: c.Args[0], Code: code, Said: said.text()}
	}
	if out.over {
		return out.bytes(), fmt.Errorf("git %s: %w", c.Args[0], ErrTooMuch)
	}
	return out.bytes(), nil
}

// outputLimit returns the limit of the output.
func (c Call) outputLimit() int {
	if c.Most > 0 {
		return c.Most
	}
	return maxOutput
}

// options returns the options before every command.
func (r *Repository) options() []string {
	safe := []string{
		"--no-optional-locks", "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "safe.bareRepository=explicit",
	}
	if !r.hooks {
		safe = append(safe, "-c", "core.hooksPath="+os.DevNull)
	}
	return safe
}

// pinnedEnv returns the variables that keep git at the opened repository even if its directories change. Hooks do not get them,
// because hooks run git in other repositories too.
func (r *Repository) pinnedEnv() []string {
	if r.own == "" || r.hooks {
		return nil
	}
	return []string{"GIT_DIR=" + r.own, "GIT_WORK_TREE=" + r.top}
}

// boundedBuffer is a buffer that drops bytes above a limit. It is safe for concurrent use.
type boundedBuffer struct {
	mu   sync.Mutex   // a detached child process can write late
	held bytes.Buffer // not embedded, because ReadFrom would ignore the limit
	most int
	over bool // bytes were dropped
}

// Write appends p up to the limit. It never fails.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.most - b.held.Len()
	b.over = b.over || len(p) > room
	b.held.Write(p[:min(len(p), room)])
	return len(p), nil
}

func (b *boundedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held.Bytes()
}

// tail keeps the end of a text, where errors are reported.
type tail struct {
	mu   sync.Mutex
	held []byte
	most int
}

func (t *tail) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = append(t.held, p[max(0, len(p)-t.most):]...)
	if over := len(t.held) - t.most; over > 0 {
		t.held = slices.Delete(t.held, 0, over)
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return WithoutPasswords(strings.TrimSpace(strings.ToValidUTF8(string(t.held), "\uFFFD")))
}
