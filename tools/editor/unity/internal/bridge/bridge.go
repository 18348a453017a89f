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
	// knockEvery is how often somebody knocks at the port of an editor with an old heartbeat where nobody has answered.
	knockEvery = 15 * time.Second
	defaultGap = 3 * time.Second
)

// Errors of commands, beside a *Refusal, ErrForeign and ErrDropped.
var (
	// ErrGone is an editor that is not there.
	ErrGone = errors.New("the Unity editor is not there")
	// ErrReloading is an editor that reloads its scripts for longer than somebody waits. Unity has not got the command.
	ErrReloading = errors.New("the editor is reloading its scripts")
)

// Bridge knows the editors whose status files are in a directory. Its methods may be called from several goroutines at once.
type Bridge struct {
	// Gap is how long an editor may have no status file or nobody at its port before it is gone: at a reload, the file is removed and
	// written anew, and the port is free for a moment. It is 3 seconds unless it is set before anything else is done.
	Gap time.Duration

	dir string

	mu    sync.Mutex
	turns keymutex.Mutex[string] // of connections, by the hash of the project
	knock map[string]knocked     // at the ports of editors that may be gone
	seen  map[string]sighting    // editors that were there
}

// knocked is what knocking at the port of an editor with an old heartbeat has found.
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

// Editors are those that are there. Files that editors have left behind which were killed are found out. An editor whose file cannot be
// read for a moment, because it is being written, is still there.
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
		return true // somebody is speaking to it
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

// taken tells whether somebody listens at a port of this machine, without connecting.
func taken(port int) bool {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return true
	}
	l.Close()
	return false
}

// Status reads what the editor of a project says of itself now.
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
	var missing time.Time // since when nobody is there
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

// turn waits until nobody else of this program speaks to an editor: a second connection would end the first.
func (b *Bridge) turn(ctx context.Context, hash string) (done func(), err error) {
	done, err = b.turns.Lock(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("waiting for another command to Unity: %w", err)
	}
	return done, nil
}
