package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

// Options are those of a Runner. The zero value is useful.
type Options struct {
	// Env is what every child gets beside what its call says; nil is the environment of this process.
	Env []string
	// StateDir keeps a small file for every process that runs, by which Reap ends
	// what a server that has died has left, and the files of runs. Nobody else may
	// write to it. Empty: none is kept.
	StateDir string
	// MaxLine is the longest line that is read, in bytes; a longer one is left out, and an event says so. Default DefaultMaxLine.
	MaxLine int64
	// Begin bounds how long the beginning of a session is waited for. Default 30 s.
	Begin time.Duration
	// Silence is how long nothing must be heard of an agent whose tools are all
	// done until that is told. Default 30 s.
	Silence time.Duration
	// Farewell is how long an agent that has told its end has to exit. Default 5 s.
	Farewell time.Duration
	// Grace is how long an agent that was asked to end has before it is killed. Default 5 s.
	Grace time.Duration
	// Log says what could not be cleaned up; nil: nobody.
	Log *slog.Logger
}

// Runner runs agent programs as child processes. It may be used concurrently.
type Runner struct {
	o      Options
	ledger ledger
}

// New makes a Runner, and ends what others that use the same StateDir and have died have left behind.
func New(o Options) (*Runner, error) {
	o.MaxLine = cmp.Or(o.MaxLine, DefaultMaxLine)
	o.Begin = cmp.Or(o.Begin, 30*time.Second)
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	o.Farewell = cmp.Or(o.Farewell, 5*time.Second)
	o.Grace = cmp.Or(o.Grace, 5*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &Runner{o: o}
	if o.StateDir == "" {
		return r, nil
	}
	var err error
	if r.ledger, err = openLedger(o.StateDir); err != nil {
		return nil, err
	}
	n, err := Reap(context.Background(), o.StateDir)
	if n > 0 {
		o.Log.Warn("agents that a server which has died had left were ended", "agents", n)
	}
	if err != nil {
		o.Log.Warn("not all that a server which has died had left was ended", "error", err)
	}
	return r, nil
}

// Close releases what the runner holds. No Run is running then.
func (r *Runner) Close() error { return nil }

// Run is that of executor.Executor, with a program.
func (r *Runner) Run(ctx context.Context, p Program, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	if err := ctx.Err(); err != nil {
		return executor.Exit{}, err
	}
	files := ""
	defer func() { r.remove(files) }()
	call, err := p.Command(ctx, s, func() (dir string, err error) {
		if files == "" {
			files, err = r.scratch()
		}
		return files, err
	})
	if err != nil {
		return executor.Exit{}, err
	}
	n := newRun(&r.o, p.Decoder(), tell)
	n.begin()
	mark := rand.Text()
	child, err := process.Capture(r.cmd(call), process.CaptureOptions{Output: n.hear, Input: true, Mark: mark})
	if err != nil {
		n.hang()
		if errors.Is(err, exec.ErrNotFound) {
			err = errors.Join(executor.ErrUnavailable, err)
		}
		return executor.Exit{}, fmt.Errorf("starting an agent: %w", err)
	}
	known := entry{Agent: pull.Clip(s.AgentID, maxAgent), Mark: mark, PID: child.PID()}
	if files != "" {
		known.Files = filepath.Base(files)
	}
	strike, err := r.ledger.enter(known)
	if err != nil {
		r.o.Log.Warn("a process was not written down; if this server dies, nobody ends it", "agent", s.AgentID, "error", err)
	}
	var feed group.Group
	if n.talk != nil {
		feed.Go(func() { n.out.write(child) })
	} else {
		feed.Go(func() {
			_, _ = child.Write([]byte(call.Input)) // a program need not read it
			_ = child.CloseInput()
		})
	}
	left := n.attend(ctx, child)
	if err := child.Close(); err != nil {
		r.o.Log.Warn("an agent was not ended with all that it had started", "agent", s.AgentID, "error", err)
	}
	if n.out != nil {
		n.out.close()
	}
	feed.Wait()
	strike()
	n.hang()
	exit := n.exit(child.Exit(), p)
	exit.Leftover = left
	return exit, nil
}

// scratch makes a directory for the files of a run.
func (r *Runner) scratch() (string, error) {
	dir, err := os.MkdirTemp(r.o.StateDir, scratchPrefix)
	if err != nil {
		return "", fmt.Errorf("making a directory for the files of an agent: %w", err)
	}
	return dir, nil
}

// remove removes the files of a run, if it has any.
func (r *Runner) remove(dir string) {
	if dir == "" {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		r.o.Log.Warn("files of an agent were not removed", "directory", dir, "error", err)
	}
}

// cmd is the command of a call.
func (r *Runner) cmd(call Call) *exec.Cmd {
	cmd := exec.Command(call.Path, call.Args...)
	cmd.Dir = call.Dir
	cmd.Env = append(environ(r.o.Env), call.Env...)
	if call.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+call.Dir)
	}
	return cmd
}
