package process

import (
	"crypto/rand"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/dougu-go/dougu/internal/group"
)

// running is a process with what holds it and its children together.
type running struct {
	cmd   *exec.Cmd
	tree  tree
	token string      // that its descendants have in their environment
	watch group.Group // starts the process and waits for its end
	done  chan struct{}
	err   error // of Wait; read after done
}

// launch starts cmd, all of whose streams must be set. confine, which may be nil,
// is called on the thread that starts it; that thread then serves nobody else.
// outer is a further mark for the environment, and may be empty.
func launch(cmd *exec.Cmd, outer string, confine func() error) (*running, error) {
	p := &running{cmd: cmd, token: rand.Text(), done: make(chan struct{})}
	setGroup(cmd)
	dieWithParent(cmd)
	cmd.Env = mark(cmd.Environ(), outer, p.token)
	started := make(chan error, 1)
	p.watch.Go(func() { p.run(confine, started) })
	if err := <-started; err != nil {
		p.watch.Wait()
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	return p, nil
}

// run is the life of the process, on a thread of its own: Linux kills the child
// when the thread that has started it ends.
func (p *running) run(confine func() error, started chan<- error) {
	runtime.LockOSThread()
	if confine == nil {
		defer runtime.UnlockOSThread()
	} else if isMainThread() {
		// It cannot be thrown away. As long as it is held here, another goroutine
		// runs on another thread.
		defer runtime.UnlockOSThread()
		p.watch.Go(func() { p.run(confine, started) })
		<-p.done
		return
	}
	defer close(p.done)
	err := p.start(confine)
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
	}
}

func (p *running) start(confine func() error) error {
	if confine != nil {
		if err := confine(); err != nil {
			return fmt.Errorf("confining it: %w", err)
		}
	}
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
func (p *running) ended() bool { return isClosed(p.done) }

// Done is closed when the process itself has ended.
func (p *running) Done() <-chan struct{} { return p.done }

// PID is the process id.
func (p *running) PID() int { return p.cmd.Process.Pid }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
