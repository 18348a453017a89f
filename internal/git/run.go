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

// Run runs git in the directory and answers what it prints, the beginning of it with ErrTooMuch. It runs no hook, no monitor of the file
// system and no pager, takes no lock that is not needed, and speaks to no other machine unless Env says so. A *Failure comes with
// what was printed.
func (r *Repository) Run(ctx context.Context, c Call) ([]byte, error) {
	if c.Limit <= 0 {
		c.Limit = timeout
	}
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("git %s: %w", c.Args[0], err)
	}
	cmd := exec.Command(r.program, slices.Concat(r.options(), c.Args)...)
	cmd.Dir, cmd.Env = r.dir, slices.Concat(r.env, c.Env)
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

// options are those before the command. What the configuration of a repository may have set is overruled.
func (r *Repository) options() []string {
	safe := []string{
		"--no-optional-locks", "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "safe.bareRepository=explicit",
	}
	if !r.hooks {
		safe = append(safe, "-c", "core.hooksPath="+os.DevNull)
	}
	return append(safe, r.off...)
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
