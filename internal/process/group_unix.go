//go:build unix

package process

import (
	"errors"
	"os/exec"
	"syscall"
)

// setGroup makes the child the leader of a group of its own.
func setGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid // the leader of a session leads its group
}

// leadSession makes the child the leader of a session, whose terminal is its
// standard input.
func leadSession(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
}

// tree is the process group, which has the number of its leader.
type tree int

func (p *running) started() error {
	p.tree = tree(p.cmd.Process.Pid)
	return nil
}

// terminate asks every process of the group to end.
func (p *running) terminate() error { return p.signalGroup(syscall.SIGTERM) }

func (p *running) signalGroup(sig syscall.Signal) error {
	err := syscall.Kill(-int(p.tree), sig)
	if errors.Is(err, syscall.ESRCH) {
		return nil // none is left
	}
	return err
}

// killGroup ends every process of the group.
func (p *running) killGroup() error { return p.signalGroup(syscall.SIGKILL) }

func (p *running) release() {}
