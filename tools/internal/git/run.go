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
	// Args are the command and its arguments. Whoever makes them sees to it that nothing foreign among them is taken for an option.
	Args []string
	// Input is what git reads.
	Input []byte
	// Env are further variables.
	Env []string
	// Limit is after how long it is ended: 10 seconds by default.
	Limit time.Duration
	// Most is how many bytes of what it prints are read: 4 MiB by default.
	Most int
	// Said, unless it is nil, receives what it says beside that, such as how far it is.
	Said *strings.Builder
}

// Failure is git that ended with an exit code other than 0.
type Failure struct {
	// Command is what was asked for, Code the exit code.
	Command string
	Code    int
	// Said is the end of what it said about that, without what URLs have of passwords.
	Said string
}

// Error is what git said.
func (f *Failure) Error() string {
	return fmt.Sprintf("git %s: exit status %d: %s", f.Command, f.Code, f.Said)
}

// grace is how long git has to end by itself when it is asked to: it removes the locks that it holds.
const grace = 2 * time.Second

// commands are the commands that Run accepts. For each, the settings by which it runs programs are known and overruled.
var commands = []string{
	"add", "am", "blame", "branch", "cat-file", "check-attr", "check-ref-format", "cherry-pick", "commit", "config", "diff", "diff-tree", "fetch", "for-each-ref", "hash-object",
	"log", "ls-files", "ls-tree", "merge", "merge-base", "push", "rebase", "remote", "rev-list", "rev-parse", "revert", "rm", "status", "switch", "symbolic-ref", "worktree",
}

// merging are the commands that look for changes before they merge, in submodules as well if .gitmodules says so.
var merging = []string{"am", "cherry-pick", "merge", "rebase", "revert"}

// Run runs git in the directory and returns its output, the beginning of it with ErrTooMuch. No program of the repository runs, no lock
// is taken that is not needed, and git speaks to no other machine unless Env says so. A *Failure comes with the output.
//
// Submodules are repositories with a configuration of their own, which is not read. Commands therefore do not look into them: status,
// diff and the merging commands are kept from it here, and the arguments of add and commit must name files.
func (r *Repository) Run(ctx context.Context, c Call) ([]byte, error) {
	if !slices.Contains(commands, c.Args[0]) {
		return nil, fmt.Errorf("git %s is not among the commands that are used here", c.Args[0])
	}
	if name := c.Args[0]; (name == "status" || name == "diff") && !slices.ContainsFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "--ignore-submodules=") }) {
		c.Args = slices.Insert(slices.Clone(c.Args), 1, "--ignore-submodules=dirty")
	}
	off := always()
	for _, g := range r.guards {
		s, err := g.current(ctx)
		if err != nil {
			return nil, err
		}
		off = append(off, s.off...)
	}
	if slices.Contains(merging, c.Args[0]) {
		ignored, err := r.ignoreSubmodules(ctx)
		if err != nil {
			return nil, err
		}
		off = append(off, ignored...)
	}
	return r.execute(ctx, c, off)
}

// execute runs git with further options before the command.
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
	cmd.Dir, cmd.Env = r.dir, slices.Concat(r.env, r.pinned(), c.Env)
	alone(cmd)
	out, said := &bounded{most: c.most()}, &tail{most: maxError}
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

func (c Call) most() int {
	if c.Most > 0 {
		return c.Most
	}
	return maxOutput
}

// options are the options before the command, which hold for every run.
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

// pinned are the variables that keep git at the repository that was opened, whatever appears in its directories meanwhile. Hooks get
// none of them: they run git in other repositories, too.
func (r *Repository) pinned() []string {
	if r.own == "" || r.hooks {
		return nil
	}
	return []string{"GIT_DIR=" + r.own, "GIT_WORK_TREE=" + r.top}
}

// bounded is a buffer that drops what is too much.
type bounded struct {
	mu   sync.Mutex   // what has got away may write late
	held bytes.Buffer // not embedded: its ReadFrom would take everything
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.most - b.held.Len()
	b.over = b.over || len(p) > room
	b.held.Write(p[:min(len(p), room)])
	return len(p), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held.Bytes()
}

// tail keeps the end of a text: what went wrong is said last.
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
