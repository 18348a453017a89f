package process

import (
	"crypto/rand"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
)

// running is a process and the means to end it with its descendants.
type running struct {
	cmd   *exec.Cmd
	tree  tree
	token string      // mark in the environment of the descendants
	watch group.Group // starts the process and waits for its end
	done  chan struct{}
	err   error // of Wait; read after done
}

// life is a process that was started, with its descendants.
type life interface {
	// PID is the process id.
	PID() int
	// Done is closed when the process itself has ended.
	Done() <-chan struct{}
	ended() bool
	// exit and failure say how the process has ended, once Done is closed.
	exit() Exit
	failure() error
	terminate() error
	// kill ends the process and its descendants, killGroup the rest of its group.
	kill() error
	killGroup() error
	// left reports whether something that the process has started is alive after it, and vanished is closed when
	// nothing is; nil if that is not known.
	left() bool
	vanished() <-chan struct{}
	// memory is the resident memory of the tree in bytes; ok is false if it is not known.
	memory() (bytes int64, ok bool)
	// release gives up all resources, and wait returns when nothing runs any more beside the process.
	release()
	wait()
	lifeSignals
}

// launch starts cmd, all of whose streams must be set. wrap, which may be nil,
// changes it before. outer is a further mark for the environment, and may be
// empty.
func launch(cmd *exec.Cmd, outer string, wrap func(*exec.Cmd) error) (life, error) {
	p := &running{cmd: cmd, token: rand.Text(), done: make(chan struct{})}
	cmd.Env = mark(cmd.Environ(), outer, p.token)
	name := cmd.Path
	if wrap != nil {
		if err := wrap(cmd); err != nil {
			return nil, fmt.Errorf("starting %s: %w", name, err)
		}
	}
	if below, err := supervise(cmd, p.token); below != nil || err != nil {
		if err != nil {
			err = fmt.Errorf("starting %s: %w", name, err)
		}
		return below, err
	}
	setGroup(cmd)
	dieWithParent(cmd)
	started := make(chan error, 1)
	p.watch.Go(func() { p.run(started) })
	if err := <-started; err != nil {
		p.watch.Wait()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

// run is the life of the process, on a thread of its own: Linux kills the child
// when the thread that has started it ends.
func (p *running) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	err := p.start()
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
	}
}

func (p *running) start() error {
	if err := p.cmd.Start(); err != nil {
		return err
	}
	if err := p.started(); err != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		return err
	}
	return nil
}

// ended reports whether the process itself has ended.
func (p *running) ended() bool { return wait.IsClosed(p.done) }

// Done is closed when the process itself has ended.
func (p *running) Done() <-chan struct{} { return p.done }

func (p *running) exit() Exit { return exitOf(p.cmd.ProcessState) }

func (p *running) failure() error { return p.err }

func (p *running) wait() { p.watch.Wait() }

func (p *running) vanished() <-chan struct{} { return nil }

// PID is the process id.
func (p *running) PID() int { return p.cmd.Process.Pid }
