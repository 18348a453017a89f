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
	cmd.SysProcAttr.Setpgid = true
}

// tree is the process group, which has the number of its leader.
type tree int

func (c *Child) started() error {
	c.tree = tree(c.cmd.Process.Pid)
	return nil
}

// terminate asks every process of the group to end.
func (c *Child) terminate() error { return c.signal(syscall.SIGTERM) }

// kill ends every process of the group.
func (c *Child) kill() error { return c.signal(syscall.SIGKILL) }

func (c *Child) signal(sig syscall.Signal) error {
	err := syscall.Kill(-int(c.tree), sig)
	if errors.Is(err, syscall.ESRCH) {
		return nil // none is left
	}
	return err
}

func (c *Child) release() {}
