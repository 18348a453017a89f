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
	// killPatience bounds the time that is spent on finding what a tree has left
	// behind.
	killPatience = 5 * time.Second
	// killRounds bounds how often it is looked for: who forks faster than it is
	// killed has won.
	killRounds = 200
)

// kill ends every process of the tree: the group, what descends from it, and what
// has its mark.
func (p *running) kill() error {
	members := family{token: p.token}
	if !p.ended() {
		// Before the group is gone, and with it the line to who has no mark.
		members.root = p.PID()
		found, _ := members.find()
		err := p.signalGroup(syscall.SIGKILL)
		signalAll(found, unix.SIGKILL)
		if err != nil {
			return err
		}
		members.root = 0 // its number may soon be that of others
	}
	ctx, cancel := context.WithTimeout(context.Background(), killPatience)
	defer cancel()
	return members.kill(ctx)
}

// signalTree signals the group, or if its leader has ended, who has its mark: its
// number may be that of others by now.
func (p *running) signalTree(sig syscall.Signal) error {
	if !p.ended() {
		return p.signalGroup(sig)
	}
	found, err := family{token: p.token}.find()
	signalAll(found, sig)
	return err
}

// left reports whether somebody with the mark is alive.
func (p *running) left() bool {
	found, err := family{token: p.token}.find()
	return err != nil || len(found) > 0
}

// KillMarked ends every process that has mark in its environment, as
// CaptureOptions.Mark puts it there. Only Linux knows.
func KillMarked(ctx context.Context, mark string) error {
	ctx, cancel := context.WithTimeout(ctx, killPatience)
	defer cancel()
	return family{token: mark}.kill(ctx)
}

// kill ends the family until nobody of it is found.
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
