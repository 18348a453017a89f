package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/nats/internal/kept"
)

const (
	// batch is how many messages are asked for at once.
	batch = 256
	// scanWait is how long is waited for messages that were removed meanwhile.
	scanWait = time.Second
)

// heading is a message without its data.
type heading struct {
	sequence uint64
	header   nats.Header
}

// scan returns the headings of the tasks under a subject, by subject. Of a task that
// changes during the scan, the latest heading is among them.
func (s *Store) scan(ctx context.Context, stream jetstream.Stream, filter string) (map[string]heading, error) {
	all := make(map[string]heading)
	c, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject: filter, HeadersOnly: true, AckPolicy: jetstream.AckNonePolicy, DeliverPolicy: jetstream.DeliverAllPolicy,
		InactiveThreshold: 10 * s.opts.Timeout, MemoryStorage: true, Replicas: 1,
	})
	if err != nil {
		return nil, s.conn.Failed("looking through tasks", err)
	}
	info := c.CachedInfo()
	defer func() { _ = stream.DeleteConsumer(context.WithoutCancel(ctx), info.Name) }() // else it ends by itself
	for left := info.NumPending; left > 0; {
		got, err := c.Fetch(int(min(left, batch)), jetstream.FetchMaxWait(min(scanWait, s.opts.Timeout)))
		if err != nil {
			return nil, s.conn.Failed("looking through tasks", err)
		}
		n := 0
		for m := range got.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return nil, fmt.Errorf("looking through tasks: %w", err)
			}
			n++
			all[m.Subject()], left = heading{meta.Sequence.Stream, m.Headers()}, meta.NumPending
		}
		if err := cmp.Or(got.Error(), ctx.Err()); err != nil {
			return nil, s.conn.Failed("looking through tasks", err)
		}
		if n == 0 {
			if info, err = c.Info(ctx); err != nil {
				return nil, s.conn.Failed("looking through tasks", err)
			}
			left = info.NumPending
		}
	}
	return all, nil
}

// found is a task without its data, and where it is.
type found struct {
	tasks.Record
	subject  string
	sequence uint64
}

// headings returns the tasks under a subject without their data. One that cannot be
// read does not hide the others.
func (s *Store) headings(ctx context.Context, filter string) ([]found, error) {
	messages, err := s.scan(ctx, s.tasks(), filter)
	if err != nil {
		return nil, err
	}
	var all []found
	for subject, m := range messages {
		r, err := recordOf(m.header, nil)
		if err != nil {
			s.opts.Log.Warn("a task in NATS cannot be read", "key", subject, "error", err)
			continue
		}
		all = append(all, found{r, subject, m.sequence})
	}
	return all, nil
}

// List implements tasks.Store.
func (s *Store) List(ctx context.Context, principal string, after tasks.Position, n int) ([]tasks.Record, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	all, err := s.headings(ctx, s.subject("*", kept.Key(principal)))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f found) bool {
		return cmp.Or(f.Created.Compare(after.Created), strings.Compare(f.ID, after.ID)) <= 0
	})
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	var page []tasks.Record
	for _, f := range all {
		if len(page) >= n {
			break
		}
		r, _, err := s.get(ctx, f.ID)
		switch {
		case errors.Is(err, tasks.ErrNotFound): // it was removed meanwhile
			continue
		case err != nil:
			return nil, err
		}
		page = append(page, r)
	}
	return page, nil
}

// Sweep implements tasks.Store. A task that is changed meanwhile stays.
func (s *Store) Sweep(ctx context.Context, now time.Time) (next time.Time, err error) {
	scanning, cancel, err := s.begin(ctx)
	if err != nil {
		return next, err
	}
	all, err := s.headings(scanning, s.subject("*", "*"))
	cancel()
	if err != nil {
		return next, err
	}
	for _, f := range all {
		switch {
		case !f.Expires.After(now):
			if err := s.remove(ctx, f); err != nil {
				return time.Time{}, err
			}
		case next.IsZero() || f.Expires.Before(next):
			next = f.Expires
		}
	}
	return next, nil
}

func (s *Store) remove(ctx context.Context, f found) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if err := s.tasks().Purge(ctx, jetstream.WithPurgeSubject(f.subject), jetstream.WithPurgeSequence(f.sequence+1)); err != nil {
		return s.conn.Failed("removing a task", err)
	}
	return nil
}

// Beat implements tasks.Store. NATS forgets it after an hour.
func (s *Store) Beat(ctx context.Context, owner string, until time.Time) error {
	if len(owner) > maxName {
		return fmt.Errorf("noting that a runner of tasks lives: its name has %d bytes; it may have %d", len(owner), maxName)
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	m := nats.NewMsg("$KV." + s.runners + "." + kept.Key(owner))
	m.Header.Set(headerUntil, millis(until))
	if _, err := s.conn.JS.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0)); err != nil {
		return s.conn.Failed("noting that a runner of tasks lives", err)
	}
	return nil
}

// Orphans implements tasks.Store.
func (s *Store) Orphans(ctx context.Context, now time.Time) ([]string, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	// The tasks come first: an owner says that it lives before it has any.
	all, err := s.headings(ctx, s.subject("*", "*"))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f found) bool { return f.Ended })
	if len(all) == 0 {
		return nil, nil
	}
	living, err := s.scan(ctx, s.living(), "$KV."+s.runners+".>")
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(living, func(_ string, m heading) bool {
		in := reader{header: m.header}
		return in.time(headerUntil).Before(now) || in.err != nil
	})
	var ids []string
	for _, f := range all {
		if _, lives := living["$KV."+s.runners+"."+kept.Key(f.Owner)]; !lives {
			ids = append(ids, f.ID)
		}
	}
	return ids, nil
}
