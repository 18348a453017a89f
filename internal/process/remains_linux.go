package process

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// killTimeout is the maximum time to find and kill the remaining processes of a tree.
	killTimeout = 5 * time.Second
	// killRounds is the limit of searches for remaining processes. A process that forks faster than the search survives.
	killRounds = 200
)

// kill kills every process of the tree: the group, its descendants, and the processes with its mark.
func (p *running) kill() error {
	members := family{token: p.token}
	if !p.ended() {
		// Search before the group is killed: afterwards descendants without a mark cannot be found.
		members.root = p.PID()
		found, _ := members.find()
		err := p.signalGroup(syscall.SIGKILL)
		signalAll(found, unix.SIGKILL)
		if err != nil {
			return err
		}
		members.root = 0 // its number may soon be that of others
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	return members.kill(ctx)
}

// signalTree signals the group. If its leader has ended, it signals the processes with the mark instead, since the
// system may have reused the number of the group.
func (p *running) signalTree(sig syscall.Signal) error {
	if !p.ended() {
		return p.signalGroup(sig)
	}
	found, err := family{token: p.token}.find()
	signalAll(found, sig)
	return err
}

// left reports whether a process with the mark is alive.
func (p *running) left() bool {
	found, err := family{token: p.token}.find()
	return err != nil || len(found) > 0
}

// KillMarked ends every process that has mark in its environment, as
// CaptureOptions.Mark puts it there. Only Linux knows.
func KillMarked(ctx context.Context, mark string) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	return family{token: mark}.kill(ctx)
}

// kill kills the family repeatedly until no member is found.
func (f family) kill(ctx context.Context) error {
	pause := time.Millisecond
	for range killRounds {
		found, err := f.find()
		if err != nil || len(found) == 0 {
			return err
		}
		signalAll(found, unix.SIGKILL)
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d processes are still alive: %w", len(found), ctx.Err())
		case <-time.After(pause):
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
	return errors.New("processes are started faster than they can be ended")
}

// signalAll signals processes, unless others have their numbers by now, and returns how many
// it may not signal.
func signalAll(all []procStat, sig syscall.Signal) (denied int) {
	for _, p := range all {
		fd, err := unix.PidfdOpen(p.pid, 0)
		if errors.Is(err, unix.ENOSYS) { // before Linux 5.3
			if errors.Is(syscall.Kill(p.pid, sig), unix.EPERM) {
				denied++
			}
			continue
		}
		if err != nil {
			continue // it has ended
		}
		if now, ok := readStat(p.pid); ok && now.start == p.start && errors.Is(unix.PidfdSendSignal(fd, sig, nil, 0), unix.EPERM) {
			denied++
		}
		_ = unix.Close(fd)
	}
	return denied
}
