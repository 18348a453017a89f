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
	// saveDelay is the time from the first unsaved change to the write. Changes in this time share
	// one write.
	saveDelay = 2 * time.Second
	// retryDelay is the time before the next attempt after a failed write.
	retryDelay = 30 * time.Second
)

// keeper writes the usage of a ledger to a file. Its goroutine runs while the keeper is the last of
// ledger.keepers.
type keeper struct {
	ledger *ledger
	path   string // as given in Options.StatsFile
	file   statsFile
	log    *slog.Logger
	users  int // attached sets; guarded by ledger.attachMu

	dirty chan struct{}
	stop  context.CancelFunc
	run   group.Group
}

// attach starts saving the ledger to the file at path. If several files are attached, only the last
// is written; after its release the previous one is written again. The caller must call detach.
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
			log.WarnContext(ctx, "usage could not be saved in the previous file; it is saved in the new one", "path", l.keepers[last].path, "error", err)
		}
	}
	k.users = 1
	l.keepers = append(l.keepers, k)
	k.resume(content)
	return k.detach, nil
}

// detach releases the file for one set. If it was the last set of the current file, detach writes
// unsaved usage and resumes writing to the previously attached file.
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
			last.log.WarnContext(ctx, "saved usage could not be read", "path", last.path, "error", err)
		}
		last.resume(content)
	}
	return err
}

// load reads the file before the keeper starts. It takes the lock only after an error: a damaged
// file may be renamed only under the lock. On Windows a file cannot be opened while another process
// replaces it.
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

// read reads the locked file. It logs a warning if a damaged file was renamed.
func (k *keeper) read(ctx context.Context) (*totals, error) {
	content, damaged, err := k.file.read()
	if damaged != "" {
		k.log.WarnContext(ctx, "the file with the usage statistics is damaged and was renamed", "path", k.path, "as", damaged)
	}
	return content, err
}

// resume starts the goroutine that saves. No other keeper of the ledger may be running.
func (k *keeper) resume(content *totals) {
	k.ledger.setStored(string(k.file), content, false)
	k.dirty = make(chan struct{}, 1)
	k.ledger.setNotify(k.dirty)
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	k.run.OnPanic = func(value any, stack []byte) {
		k.log.Error("panic while saving usage; the next save is at the end of the program", "panic", value, "stack", string(stack))
	}
	k.run.Go(func() { k.work(ctx) })
}

// pause stops the goroutine and writes unsaved usage.
func (k *keeper) pause(ctx context.Context) error {
	k.ledger.setNotify(nil)
	k.stop()
	k.run.Wait()
	return k.save(ctx)
}

// work saves saveDelay after each change until ctx ends. After a failed write it retries every
// retryDelay.
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
		case <-k.dirty: // included in the write below
		default:
		}
		err := k.save(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && delay == saveDelay:
			k.log.Warn("usage could not be saved; it stays in memory and is saved again later", "path", k.path, "error", err)
		case err == nil && delay != saveDelay:
			k.log.Info("usage could be saved again", "path", k.path)
		}
		if delay = saveDelay; err != nil {
			delay = retryDelay
		}
	}
}

// save adds the unsaved usage to the content of the file, under the lock. Other processes may have
// written that content.
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
		if content != nil { // nil: the file was removed, so the content read last is written again
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
