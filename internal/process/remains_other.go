//go:build unix && !linux

package process

import (
	"context"
	"syscall"
)

// kill kills every process of the group. Processes that have left the group cannot be found on this system.
func (p *running) kill() error { return p.killGroup() }

// signalTree signals every process of the group.
func (p *running) signalTree(sig syscall.Signal) error { return p.signalGroup(sig) }

// left reports whether a process of the group is alive.
func (p *running) left() bool { return syscall.Kill(-int(p.tree), 0) == nil }

// KillMarked ends every process that has mark in its environment, as
// CaptureOptions.Mark puts it there. Only Linux knows.
func KillMarked(context.Context, string) error { return nil }
