package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
)

const (
	// saveDelay is how long usage waits to be written, so that many calls make one write.
	saveDelay = 2 * time.Second
	// retryDelay is how long a file that could not be written is left alone.
	retryDelay = 30 * time.Second
)

// keeper writes what a ledger holds into a file, and knows how many sets want that.
type keeper struct {
	ledger *ledger
	path   string // as the sets name it
	file   statsFile
	log    *slog.Logger
	users  int

	dirty chan struct{}
	stop  context.CancelFunc
	run   group.Group
}

// attach keeps the ledger in the file at path from now on. Of several files the one attached last is written; when it is
// released, the one before it is again. detach must be called.
func (l *ledger) attach(ctx context.Context, path string, log *slog.Logger) (detach func(context.Context) error, err error) {
	l.attachMu.Lock()
	defer l.attachMu.Unlock()
	at := slices.IndexFunc(l.keepers, func(k *keeper) bool { return k.path == path })
	if at >= 0 && at == len(l.keepers)-1 {
		k := l.keepers[at]
		k.users++
		return k.detach, nil
	}
	k := &keeper{ledger: l, path: path, log: log}
	if k.file, err = findStatsFile(path); err != nil {
		return nil, err
	}
	content, err := k.load(ctx)
	if err != nil {
		return nil, err
	}
	if last := len(l.keepers) - 1; last >= 0 {
		if err := l.keepers[last].pause(ctx); err != nil {
			log.WarnContext(ctx, "usage could not be saved in the former file; it goes into the new one", "path", l.keepers[last].path, "error", err)
		}
	}
	k.users = 1
	l.keepers = append(l.keepers, k)
	k.resume(content)
	return k.detach, nil
}

// detach releases the file for one set. When nobody wants it any more, what it lacks is written.
func (k *keeper) detach(ctx context.Context) error {
	l := k.ledger
	l.attachMu.Lock()
	defer l.attachMu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	at := slices.Index(l.keepers, k)
	working := at == len(l.keepers)-1
	l.keepers = slices.Delete(l.keepers, at, at+1)
	if !working {
		return nil
	}
	err := k.pause(ctx)
	if len(l.keepers) > 0 {
		last := l.keepers[len(l.keepers)-1]
		content, err := last.load(ctx)
		if err != nil {
			last.log.WarnContext(ctx, "reading usage that was saved", "path", last.path, "error", err)
		}
		last.resume(content)
	}
	return err
}

// load reads the file before the keeper works. It takes the lock only after an error: a damaged file is set aside under the
// lock, and on Windows a file that another process is replacing cannot be opened.
func (k *keeper) load(ctx context.Context) (content *totals, err error) {
	content, err = k.file.readUnlocked()
	if _, newer := errors.AsType[*newerError](err); newer || err == nil {
		return content, err
	}
	err = k.file.withLock(ctx, func() error {
		content, err = k.read(ctx)
		return err
	})
	return content, err
}

// read reads the file and tells when it is damaged.
func (k *keeper) read(ctx context.Context) (*totals, error) {
	content, damaged, err := k.file.read()
	if damaged != "" {
		k.log.WarnContext(ctx, "the file with the usage statistics is damaged and was set aside", "path", k.path, "as", damaged)
	}
	return content, err
}

// resume begins to work, on a ledger that no other keeper works on.
func (k *keeper) resume(content *totals) {
	k.ledger.setStored(string(k.file), content, false)
	k.dirty = make(chan struct{}, 1)
	k.ledger.setNotify(k.dirty)
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	k.run.OnPanic = func(value any, stack []byte) {
		k.log.Error("panic while saving usage; it is not saved any more until the end", "panic", value, "stack", string(stack))
	}
	k.run.Go(func() { k.work(ctx) })
}

// pause stops working, and writes what the file lacks.
func (k *keeper) pause(ctx context.Context) error {
	k.ledger.setNotify(nil)
	k.stop()
	k.run.Wait()
	return k.save(ctx)
}

// work writes some time after something has changed.
func (k *keeper) work(ctx context.Context) {
	delay := saveDelay
	for {
		if delay == saveDelay {
			select {
			case <-k.dirty:
			case <-ctx.Done():
				return
			}
		}
		if wait.Sleep(ctx, delay) != nil {
			return
		}
		select {
		case <-k.dirty: // about to be written too
		default:
		}
		err := k.save(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && delay == saveDelay:
			k.log.Warn("usage could not be saved; it is kept in memory and tried again", "path", k.path, "error", err)
		case err == nil && delay != saveDelay:
			k.log.Info("usage could be saved again", "path", k.path)
		}
		if delay = saveDelay; err != nil {
			delay = retryDelay
		}
	}
}

// save adds what the file lacks to what it holds, whoever has written that.
func (k *keeper) save(ctx context.Context) error {
	if !k.ledger.unsaved() {
		return nil
	}
	err := k.file.withLock(ctx, func() error {
		content, err := k.read(ctx)
		if err != nil {
			return err
		}
		sum, saving := k.ledger.beginSave()
		if content != nil { // else it is gone, and what is known of it is all that is left
			sum = *content
		}
		sum.merge(saving)
		if err := k.file.write(sum); err != nil {
			return err
		}
		k.ledger.setStored(string(k.file), &sum, true)
		return nil
	})
	if err != nil {
		return fmt.Errorf("saving usage in %s: %w", k.path, err)
	}
	return nil
}
