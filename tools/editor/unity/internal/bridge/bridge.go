package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/keymutex"
	"github.com/dougu-go/dougu/internal/wait"
)

const (
	// again is the pause between two attempts to send a command to an editor that is not ready.
	again = 250 * time.Millisecond
	// knockEvery is the interval of connection attempts to an editor that has an old heartbeat and did not respond.
	knockEvery = 15 * time.Second
	defaultGap = 3 * time.Second
)

// Errors of commands, beside a *Refusal, ErrForeign and ErrDropped.
var (
	// ErrGone means that the editor has no status file, or does not listen at its port.
	ErrGone = errors.New("the Unity editor is not there")
	// ErrReloading means that the editor reloads its scripts for longer than the caller waits. Unity has not received the
	// command.
	ErrReloading = errors.New("the editor is reloading its scripts")
)

// Bridge knows the editors whose status files are in a directory. Its methods may be called from several goroutines at once.
type Bridge struct {
	// Gap is the time after which an editor without a status file or a listening port counts as ended. A reload removes the
	// file and frees the port for a moment. The default is 3 seconds. Set it before the first call.
	Gap time.Duration

	dir string

	mu    sync.Mutex             // guards knock and seen
	turns keymutex.Mutex[string] // allows one connection at a time, by the hash of the project
	knock map[string]knocked     // last connection attempt to an editor with an old heartbeat, by the hash of the project
	seen  map[string]sighting    // editors that were running at an earlier call of Editors, by the hash of the project
}

// knocked is the result of a connection attempt to an editor with an old heartbeat.
type knocked struct {
	port      int
	heartbeat time.Time
	at        time.Time
	open      bool
}

// sighting is an editor that was running at a time.
type sighting struct {
	Editor
	at time.Time
}

// New is a Bridge for a directory of status files.
func New(dir string) *Bridge {
	return &Bridge{
		Gap: defaultGap, dir: dir, knock: make(map[string]knocked), seen: make(map[string]sighting),
	}
}

// Editors returns the running editors. Files of killed editors are recognized. An editor whose file is just being written
// counts as running.
func (b *Bridge) Editors(ctx context.Context) []Editor {
	var all []Editor
	now := time.Now()
	found := editors(b.dir)
	for _, e := range found {
		if !e.doubtful(now) || b.opens(ctx, e, now) {
			all = append(all, e)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range found {
		delete(b.seen, e.Hash)
	}
	for _, e := range all {
		b.seen[e.Hash] = sighting{e, now}
	}
	for hash, last := range b.seen {
		switch {
		case now.Sub(last.at) > b.Gap:
			delete(b.seen, hash)
		case last.at.Before(now): // its file is absent, perhaps during a reload: it counts as running until Gap has passed
			all = append(all, last.Editor)
		}
	}
	return all
}

// opens reports whether the port of an editor with an old heartbeat accepts a connection. The editor writes no heartbeats while its main
// thread is busy, which can take minutes. A connection attempt ends the connection of another client. After a successful attempt
// opens therefore only checks whether the port is in use, until the editor writes a heartbeat. It repeats a failed attempt after
// knockEvery.
func (b *Bridge) opens(ctx context.Context, e Editor, now time.Time) bool {
	if !taken(e.Port) {
		return false
	}
	b.mu.Lock()
	last, ok := b.knock[e.Hash]
	if len(b.knock) > 10*maxEditors {
		clear(b.knock)
	}
	b.mu.Unlock()
	if ok && last.port == e.Port && last.heartbeat.Equal(e.Heartbeat) && (last.open || now.Sub(last.at) < knockEvery) {
		return last.open
	}
	done, free := b.turns.TryLock(e.Hash)
	if !free {
		return true // another connection is in use
	}
	defer done()
	conn, err := dial(ctx, e.Port)
	if err == nil {
		conn.Close()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.knock[e.Hash] = knocked{e.Port, e.Heartbeat, now, err == nil}
	return err == nil
}

// taken reports whether a port of this machine is in use, without a connection.
func taken(port int) bool {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return true
	}
	l.Close()
	return false
}

// Status reads the present status file of a project's editor.
func (b *Bridge) Status(hash string) (Editor, error) { return readStatus(b.dir, hash) }

// Call sends a command to the editor of a project, one at a time. It waits while the editor reloads, until patience or ctx ends; the
// error is then ErrReloading. If the connection ends before the answer, Call sends the command again if repeat is true, and returns
// ErrDropped otherwise. Without a status file or a listening port for longer than Gap, the error is ErrGone with the reason.
func (b *Bridge) Call(ctx context.Context, hash, command string, params any, patience time.Duration, repeat bool) (*Answer, error) {
	done, err := b.lock(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer done()
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var missing time.Time // start of the absence
	for {
		answer, err := b.try(ctx, hash, command, params)
		var refusal *Refusal
		switch {
		case err == nil, errors.As(err, &refusal), errors.Is(err, ErrForeign), ctx.Err() != nil:
			return answer, err
		case errors.Is(err, ErrDropped):
			if !repeat {
				return nil, err
			}
			missing = time.Time{}
		case errors.Is(err, ErrReloading):
			missing = time.Time{}
		default:
			if missing.IsZero() {
				missing = time.Now()
			} else if time.Since(missing) > b.Gap {
				return nil, fmt.Errorf("%w: %w", ErrGone, err)
			}
		}
		if wait.Sleep(limit, again) != nil {
			if ctx.Err() != nil && !errors.Is(err, ErrReloading) {
				return nil, fmt.Errorf("%w: %w", err, context.Cause(ctx))
			}
			return nil, err
		}
	}
}

// try sends a command once.
func (b *Bridge) try(ctx context.Context, hash, command string, params any) (*Answer, error) {
	e, err := b.Status(hash)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("it has no status file: %w", err)
	case err != nil:
		return nil, err // it may be written just now
	case e.Reloading && time.Since(e.Heartbeat) < reloadsFor:
		return nil, ErrReloading
	}
	return call(ctx, e.Port, command, params)
}

// lock takes the lock of an editor. A second connection of this program would end the first.
func (b *Bridge) lock(ctx context.Context, hash string) (done func(), err error) {
	done, err = b.turns.Lock(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("waiting for another command to Unity: %w", err)
	}
	return done, nil
}
