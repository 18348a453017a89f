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
	// again is the pause between two looks at an editor that is not ready.
	again = 250 * time.Millisecond
	// knockEvery is the interval of connection attempts to an editor that has an old heartbeat and did not respond.
	knockEvery = 15 * time.Second
	defaultGap = 3 * time.Second
)

// Errors of commands, beside a *Refusal, ErrForeign and ErrDropped.
var (
	// ErrGone is an editor that is not there.
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

	mu    sync.Mutex
	turns keymutex.Mutex[string] // of connections, by the hash of the project
	knock map[string]knocked     // at the ports of editors that may be gone
	seen  map[string]sighting    // editors that were there
}

// knocked is the result of a connection attempt to an editor with an old heartbeat.
type knocked struct {
	port      int
	heartbeat time.Time
	at        time.Time
	open      bool
}

// sighting is an editor that was there.
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
		case last.at.Before(now):
			all = append(all, last.Editor)
		}
	}
	return all
}

// opens tells whether a bridge answers at the port of an editor with an old heartbeat. Its main thread may be at something for minutes,
// and does not write heartbeats meanwhile. Knocking ends the connection of another client, so it is done once for a heartbeat, and
// after that it is only looked whether the port is taken.
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

// Call puts a command to the editor of a project, one at a time. While the editor reloads it waits, as long as patience and ctx last. A
// command that may be repeated is put again when the connection ends before the answer; any other ends as ErrDropped then.
func (b *Bridge) Call(ctx context.Context, hash, command string, params any, patience time.Duration, repeat bool) (*Answer, error) {
	done, err := b.turn(ctx, hash)
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

// try puts a command once.
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

// turn takes the lock of an editor. A second connection of this program would end the first.
func (b *Bridge) turn(ctx context.Context, hash string) (done func(), err error) {
	done, err = b.turns.Lock(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("waiting for another command to Unity: %w", err)
	}
	return done, nil
}
