package process

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
)

// supervised is a process below a supervisor.
type supervised struct {
	pid   int
	token string
	watch group.Group
	done  chan struct{} // closed when the process itself has ended
	gone  chan struct{} // closed when all of its descendants have, too

	status syscall.WaitStatus // read after done
	clean  bool               // the process has left nothing behind; read after done
	lost   error              // the error of killing after the death of the supervisor; read after gone

	mu         sync.Mutex
	supervisor *supervisorClient // nil once the process is gone
}

// follow reads the reports of the supervisor, until the last descendant has ended.
func (p *supervised) follow() {
	defer close(p.gone)
	s := p.supervisor
	for {
		var r report
		if s.reports.Decode(&r) != nil {
			break
		}
		if r.Exit != nil {
			p.status, p.clean = syscall.WaitStatus(*r.Exit), r.Clean
			close(p.done)
		}
		if r.Clean {
			p.detach()
			supervisors.put(s)
			return
		}
	}
	// The supervisor was killed, and with it the command. The keeper kills the orphans.
	p.detach()
	p.lost = s.abandon(p.token)
	if !p.ended() {
		p.status = syscall.WaitStatus(syscall.SIGKILL)
		close(p.done)
	}
}

// detach leaves the supervisor to the next command.
func (p *supervised) detach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.supervisor = nil
}

// PID is the process id.
func (p *supervised) PID() int { return p.pid }

// Done is closed when the process itself has ended.
func (p *supervised) Done() <-chan struct{} { return p.done }

func (p *supervised) ended() bool { return wait.IsClosed(p.done) }

func (p *supervised) wait() { p.watch.Wait() }

func (p *supervised) exit() Exit { return exitOfStatus(p.status) }

func (p *supervised) failure() error {
	switch {
	case p.status.Signaled():
		return fmt.Errorf("signal: %s", p.status.Signal())
	case p.status.ExitStatus() != 0:
		return fmt.Errorf("exit status %d", p.status.ExitStatus())
	}
	return nil
}

func (p *supervised) terminate() error { return p.signalTree(syscall.SIGTERM) }

// signalTree signals the group of the process, or if it has ended, all that it has left behind.
func (p *supervised) signalTree(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.supervisor == nil {
		return nil // none is left
	}
	if err := p.supervisor.signal(sig); err != nil && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("signalling a process: %w", err)
	}
	return nil
}

// kill ends the process and all of its descendants.
func (p *supervised) kill() error {
	err := p.signalTree(syscall.SIGKILL)
	timer := time.NewTimer(killTimeout)
	defer timer.Stop()
	select {
	case <-p.gone:
		return errors.Join(err, p.lost)
	case <-timer.C:
	}
	p.mu.Lock()
	if p.supervisor != nil {
		_ = p.supervisor.process.Kill() // it may have been stopped
	}
	p.mu.Unlock()
	<-p.gone
	return errors.Join(err, p.lost)
}

func (p *supervised) killGroup() error { return p.kill() }

// left reports whether the process has left something behind that is alive.
func (p *supervised) left() bool { return p.ended() && !p.clean && !wait.IsClosed(p.gone) }

func (p *supervised) vanished() <-chan struct{} { return p.gone }

func (p *supervised) release() { _ = p.kill() }
