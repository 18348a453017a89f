package sqlite

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
)

// errClosed is returned after Close.
var errClosed = errors.New("the task database is closed")

// Watch implements tasks.Store. Changes of this process are reported at once; changes of other
// processes are polled while a watcher exists.
func (d *DB) Watch(changed func(tasks.Record)) (stop func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	if d.stopPolling == nil {
		ctx, cancel := context.WithCancel(context.Background())
		from, err := d.changeCount(ctx)
		if err != nil {
			cancel()
			return nil, err
		}
		d.stopPolling = cancel
		d.work.Go(func() { d.poll(ctx, from) })
	}
	d.last++
	number := d.last
	d.watchers[number] = changed
	return func() { d.removeWatcher(number) }, nil
}

// removeWatcher removes a watcher, and ends polling with the last one.
func (d *DB) removeWatcher(number int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.watchers, number)
	if len(d.watchers) == 0 && d.stopPolling != nil {
		d.stopPolling()
		d.stopPolling = nil
	}
}

// notify reports a change to all watchers.
func (d *DB) notify(r tasks.Record) {
	d.mu.Lock()
	all := make([]func(tasks.Record), 0, len(d.watchers))
	for _, changed := range d.watchers {
		all = append(all, changed)
	}
	d.mu.Unlock()
	for _, changed := range all {
		changed(r)
	}
}

// changeCount returns the number of changes in the database.
func (d *DB) changeCount(ctx context.Context) (n int64, err error) {
	return n, d.read.QueryRowContext(ctx, "SELECT changes FROM clock").Scan(&n)
}

// poll reports the changes since from, of all processes, until ctx ends. Changes of this process
// are reported twice.
func (d *DB) poll(ctx context.Context, from int64) {
	failed := false
	for wait.Sleep(ctx, d.options.PollInterval) == nil {
		to, err := d.changeCount(ctx)
		if err == nil && to != from {
			err = sqlitefile.Each(ctx, d.read, func(scan func(...any) error) error {
				r, err := scanRecord(scan)
				if err == nil {
					d.notify(r)
				}
				return err
			}, "SELECT "+recordColumns+" FROM tasks WHERE changed > ? AND changed <= ?", from, to)
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			from = to
		}
		if (err != nil) != failed {
			failed = err != nil
			d.options.Log.Warn("state of polling for task changes of other processes changed", "failed", failed, "error", err)
		}
	}
}
