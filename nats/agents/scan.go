package agents

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// batch is how many messages are asked for at once.
	batch = 512
	// scanWait is how long is waited for messages that were removed meanwhile.
	scanWait = time.Second
)

// part is the range of a stream that a scan reads.
type part struct {
	subject string
	after   uint64 // a sequence
	headers bool   // alone
}

// scan calls each for the messages under a subject, in order. A key that changes during the
// scan may come more than once. The scan begins again after NATS was not reachable.
func (s *Store) scan(ctx context.Context, doing string, stream func() jetstream.Stream, p part, each func(m jetstream.Msg, sequence uint64)) error {
	config := jetstream.ConsumerConfig{
		FilterSubject: p.subject, HeadersOnly: p.headers, AckPolicy: jetstream.AckNonePolicy,
		InactiveThreshold: 10 * s.opts.Timeout, MemoryStorage: true, Replicas: 1,
	}
	if p.after > 0 {
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, p.after+1
	}
	return s.try(ctx, doing, func(ctx context.Context) error {
		c, err := stream().CreateConsumer(ctx, config)
		if err != nil {
			return err
		}
		info := c.CachedInfo()
		defer func() { _ = stream().DeleteConsumer(context.WithoutCancel(ctx), info.Name) }() // else it ends by itself
		for left := info.NumPending; left > 0; {
			got, err := c.Fetch(int(min(left, batch)), jetstream.FetchMaxWait(min(scanWait, s.opts.Timeout)))
			if err != nil {
				return err
			}
			n := 0
			for m := range got.Messages() {
				meta, err := m.Metadata()
				if err != nil {
					return err
				}
				n++
				left = meta.NumPending
				each(m, meta.Sequence.Stream)
			}
			if err := cmp.Or(got.Error(), ctx.Err()); err != nil {
				return err
			}
			if n == 0 {
				if info, err = c.Info(ctx); err != nil {
					return err
				}
				left = info.NumPending
			}
		}
		return nil
	})
}

// found is a record, and its place among all.
type found[T any] struct {
	subject        string
	made, sequence uint64
	record         T
}

// all answers the records under a subject in the order in which they were made.
func all[T any](ctx context.Context, s *Store, doing string, stream func() jetstream.Stream, filter string, read func(m jetstream.Msg) (T, error)) ([]T, error) {
	order, err := find(ctx, s, doing, stream, filter, read)
	if err != nil {
		return nil, err
	}
	records := make([]T, len(order))
	for i := range order {
		records[i] = order[i].record
	}
	return records, nil
}

// find is all, with where the records are. One that cannot be read does not hide the others.
func find[T any](ctx context.Context, s *Store, doing string, stream func() jetstream.Stream, filter string, read func(m jetstream.Msg) (T, error)) ([]found[T], error) {
	by := make(map[string]found[T])
	err := s.scan(ctx, doing, stream, part{subject: filter}, func(m jetstream.Msg, sequence uint64) {
		v, err := read(m)
		if err != nil {
			s.opts.Log.Warn("a record in NATS cannot be read", slog.String("key", m.Subject()), slog.Any("error", err))
			return
		}
		if by[m.Subject()].sequence < sequence {
			by[m.Subject()] = found[T]{m.Subject(), made(m.Headers(), sequence), sequence, v}
		}
	})
	if err != nil {
		return nil, err
	}
	order := make([]found[T], 0, len(by))
	for _, f := range by {
		order = append(order, f)
	}
	slices.SortFunc(order, func(a, b found[T]) int { return cmp.Compare(a.made, b.made) })
	return order, nil
}

// Groups implements record.Store.
func (s *Store) Groups(ctx context.Context, deleted bool) ([]record.Group, error) {
	groups, err := all(ctx, s, "reading the groups", s.groupStream, s.key("agent-groups", "*"), func(m jetstream.Msg) (record.Group, error) {
		return groupOf(m.Headers(), m.Data())
	})
	if !deleted {
		groups = slices.DeleteFunc(groups, func(g record.Group) bool { return g.Status != record.GroupActive })
	}
	return groups, err
}

// Agents implements record.Store. It looks at all agents, or at all of a group.
func (s *Store) Agents(ctx context.Context, q record.Query) (record.Page, error) {
	group := "*"
	if q.GroupID != "" {
		group = kept.Key(q.GroupID)
	}
	agents, err := all(ctx, s, "reading the agents", s.agentStream, s.agentSubject("*", group), func(m jetstream.Msg) (record.Agent, error) {
		return agentOf(m.Headers(), m.Data())
	})
	if err != nil {
		return record.Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return record.Page{}, fmt.Errorf("reading the agents: %w", err)
	}
	agents = slices.DeleteFunc(agents, func(a record.Agent) bool { return !q.Match(&a) })
	if q.Newest {
		slices.Reverse(agents)
	}
	page := record.Page{Total: len(agents)}
	agents = agents[min(max(q.Offset, 0), len(agents)):]
	if q.Limit > 0 {
		agents = agents[:min(q.Limit, len(agents))]
	}
	page.Agents = agents
	return page, nil
}
