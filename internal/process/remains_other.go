//go:build unix && !linux

package process

import (
	"context"
	"syscall"
)

// kill ends every process of the group. Who has left it cannot be found here.
func (p *running) kill() error { return p.killGroup() }

// signalTree signals every process of the group.
func (p *running) signalTree(sig syscall.Signal) error { return p.signalGroup(sig) }

// left reports whether somebody of the group is alive.
func (p *running) left() bool { return syscall.Kill(-int(p.tree), 0) == nil }

// KillMarked ends every process that has mark in its environment, as
// CaptureOptions.Mark puts it there. Only Linux knows.
func KillMarked(context.Context, string) error { return nil }
