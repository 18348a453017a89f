package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// ErrUnavailable is the cause of errors of operations that had no connection to NATS within
// Options.Patience.
var ErrUnavailable = kept.ErrUnavailable

// errClosed is the use of a Store that was closed.
var errClosed = errors.New("the store of agents is closed")

// Options say where a Store keeps things. The zero value, or nil, has the defaults.
// All servers and runners of a crew must have the same.
type Options struct {
	// Prefix begins the names of everything in NATS: letters, digits, "-" and
	// "_". Default "dougu". Crews that have nothing to do with each other need
	// different ones.
	Prefix string
	// MaxAgents is how many agents are kept, default 10,000, and Age how long after
	// their creation, default 90 days. Beyond it the servers (Serve) remove, once an
	// hour, the oldest that have ended, and groups in which nothing else is.
	MaxAgents int64
	Age       time.Duration
	// MaxBytes is the limit of groups and agents together, in bytes. New ones are refused
	// at the limit. Default 1 GiB.
	MaxBytes int64
	// MaxEvents is the number of events that followers of the log can read, default
	// 10,000. MaxEventBytes is the limit of their size, default 64 MiB.
	MaxEvents     int64
	MaxEventBytes int64
	// MaxOutput is the limit of the kept output of each stream of an agent, in bytes, and
	// MaxRaw the limit of its raw stream. Defaults 256 KiB and 20 MiB. Up to twice as much
	// is kept for a while, and at most 4096 pieces, one for each write.
	MaxOutput int64
	MaxRaw    int64
	// MaxOutputBytes bounds the output of all agents together; the oldest goes
	// first. Default 1 GiB.
	MaxOutputBytes int64
	// MaxRunBytes is the limit of unread messages of runners, in bytes. Runners wait at the
	// limit. Default 1 GiB. NATS reserves the space of all these limits.
	MaxRunBytes int64
	// Replicas is how many NATS servers keep everything. Default 1; 3 in a cluster.
	Replicas int
	// Memory keeps everything in memory instead of in files: faster, and lost
	// when NATS restarts.
	Memory bool
	// Timeout is how long NATS may take for one answer. Default 3 s.
	Timeout time.Duration
	// Patience is the time for which an operation is repeated while NATS is not reachable
	// or elects a leader. Default 30 s.
	Patience time.Duration
	// Lease is how long a server or a runner may not be heard of until it is taken
	// for dead. Default 30 s, at least 1 s. A runner that cannot reach NATS ends its
	// agents after half of it, and must have ended them within the other half: that
	// should be twice the time that programs have for their end
	// (command.Options.Grace).
	Lease time.Duration
	// Log receives errors that no caller can receive. Default: slog.Default().
	Log *slog.Logger
}

func (o *Options) complete() (kept.Options, error) {
	common := kept.Options{Prefix: o.Prefix, Replicas: o.Replicas, Memory: o.Memory, Timeout: o.Timeout, Log: o.Log}
	if err := common.Default(); err != nil {
		return common, err
	}
	o.Prefix, o.Timeout, o.Log = common.Prefix, common.Timeout, common.Log
	for _, bound := range []struct {
		is  *int64
		if0 int64
	}{{&o.MaxAgents, 10_000}, {&o.MaxBytes, 1 << 30}, {&o.MaxEvents, 10_000}, {&o.MaxEventBytes, 64 << 20}, {&o.MaxOutput, 256 << 10}, {&o.MaxRaw, 20 << 20}, {&o.MaxOutputBytes, 1 << 30}, {&o.MaxRunBytes, 1 << 30}} {
		kept.OrElse(bound.is, bound.if0)
	}
	kept.OrElse(&o.Age, 90*24*time.Hour)
	kept.OrElse(&o.Patience, 30*time.Second)
	kept.OrElse(&o.Lease, 30*time.Second)
	o.Lease = max(o.Lease, time.Second)
	return common, nil
}

// Store keeps groups and agents in NATS; it implements record.Store, and has a Log and
// Outputs. Any number of them, on any number of machines, may share the same NATS.
type Store struct {
	opts Options
	conn *kept.Conn
	nc   *nats.Conn

	joining sync.Mutex // held while an agent is put into its group, since a concurrent change of the group is repeated

	mu      sync.Mutex
	closed  bool
	streams streams
	outputs outputs
}

// streams are the JetStream streams of a Store.
type streams struct {
	groups, agents, events, output, work, runs, alive jetstream.Stream
}

var _ record.Store = (*Store)(nil)

// New returns a Store on a connection, which should reconnect without a limit
// (nats.MaxReconnects(-1)). It creates the streams of the store, with names that begin with
// <prefix>-agent, or changes them to the options, and repeats that for up to Patience. opts
// may be nil. Close does not close the connection.
func New(ctx context.Context, nc *nats.Conn, opts *Options) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	common, err := o.complete()
	if err != nil {
		return nil, fmt.Errorf("keeping agents in NATS: %w", err)
	}
	s := &Store{opts: o, nc: nc}
	s.outputs.s = s
	until := time.Now().Add(o.Patience)
	for {
		preparing, cancel := context.WithTimeout(ctx, o.Patience)
		s.conn, err = kept.New(preparing, nc, common, s.prepare)
		cancel()
		switch {
		case err == nil:
			return s, nil
		case ctx.Err() != nil || !passing(err):
			return nil, fmt.Errorf("keeping agents in NATS: %w", err)
		case time.Now().After(until):
			return nil, fmt.Errorf("keeping agents in NATS: %w: %w", ErrUnavailable, err)
		}
		_ = wait.Sleep(ctx, lastPause/4) // the next attempt says that it has ended
	}
}

// Close releases the store. Nothing is waiting to be written.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.conn.Wait()
	return nil
}

// runAge is the time after which the unread log of a run is removed. It exceeds the longest
// time limit of an agent.
const runAge = 3 * 24 * time.Hour

// mostPieces is how many messages are kept of a stream of an agent.
const mostPieces = 4096

func (s *Store) prepare(ctx context.Context, conn *kept.Conn) error {
	var all streams
	o := &s.opts
	for _, want := range []struct {
		to     *jetstream.Stream
		bucket bool
		config jetstream.StreamConfig
	}{
		{&all.groups, true, jetstream.StreamConfig{Name: "agent-groups", Description: "Groups of agents", MaxBytes: o.MaxBytes / 8}},
		{&all.agents, true, jetstream.StreamConfig{Name: "agents", Description: "Agents", MaxBytes: o.MaxBytes / 8 * 7}},
		{&all.alive, true, jetstream.StreamConfig{Name: "agent-alive", Description: "Servers and runners that live", MaxAge: o.Lease}},
		{&all.events, false, jetstream.StreamConfig{Name: "agent-events", Subjects: []string{s.subject("events")}, Description: "What happens to agents", MaxMsgs: o.MaxEvents, MaxBytes: o.MaxEventBytes}},
		{&all.output, false, jetstream.StreamConfig{Name: "agent-output", Subjects: []string{s.subject("output", ">")}, Description: "What agents write", MaxBytes: o.MaxOutputBytes, MaxMsgsPerSubject: mostPieces}},
		{&all.work, false, jetstream.StreamConfig{Name: "agent-work", Subjects: []string{s.subject("work", ">")}, Description: "Runs that wait for a runner", Retention: jetstream.WorkQueuePolicy, MaxAge: runAge}},
		{&all.runs, false, jetstream.StreamConfig{Name: "agent-runs", Subjects: []string{s.subject("runs", ">")}, Description: "Logs of runs", MaxAge: runAge, MaxBytes: o.MaxRunBytes, Discard: jetstream.DiscardNew, DenyDelete: true}},
	} {
		name, stream := s.name(want.config.Name), s.name(want.config.Name)
		if want.bucket {
			stream = "KV_" + name
		}
		var err error
		switch *want.to, err = conn.JS.Stream(ctx, stream); {
		case err == nil && s.as(&want.config, (*want.to).CachedInfo().Config):
		case want.bucket:
			*want.to, err = conn.Bucket(ctx, name, want.config)
		default:
			want.config.Name = name
			*want.to, err = conn.Stream(ctx, want.config)
		}
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = all
	return nil
}

// as reports whether a stream is as it should be: then it is left alone, for a cluster that has just chosen a leader has
// enough to do.
func (s *Store) as(want *jetstream.StreamConfig, is jetstream.StreamConfig) bool {
	same := func(want, is int64) bool { return want == is || want <= 0 && is <= 0 }
	return is.Replicas == max(s.opts.Replicas, 1) && (is.Storage == jetstream.MemoryStorage) == s.opts.Memory &&
		same(want.MaxBytes, is.MaxBytes) && same(want.MaxMsgs, is.MaxMsgs) && want.MaxAge == is.MaxAge
}

func (s *Store) name(what string) string { return s.opts.Prefix + "-" + what }

// subject is that of something that is no key of a bucket.
func (s *Store) subject(parts ...string) string {
	subject := s.opts.Prefix + ".agents"
	for _, part := range parts {
		subject += "." + part
	}
	return subject
}

// key is the subject of a key of a bucket.
func (s *Store) key(bucket, key string) string { return "$KV." + s.name(bucket) + "." + key }

func (s *Store) kept() streams {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams
}

// The pauses between attempts.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// try asks NATS for something, and again as long as it is away.
func (s *Store) try(ctx context.Context, doing string, ask func(ctx context.Context) error) error {
	until := time.Now().Add(s.opts.Patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := s.once(ctx, ask)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", doing, cmp.Or(context.Cause(ctx), err))
		}
		err = s.conn.Failed(doing, err)
		if !passing(err) || time.Now().After(until) {
			return err
		}
		_ = wait.Sleep(ctx, pause) // the next attempt says that it has ended
	}
}

// once asks NATS once.
func (s *Store) once(ctx context.Context, ask func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return errClosed
	}
	asking, cancel, err := s.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return ask(asking)
}

// passing reports whether something could work at another time, and whether it has worked
// is not known.
func passing(err error) bool {
	for _, passes := range []error{
		ErrUnavailable, context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, jetstream.ErrNoStreamResponse, jetstream.ErrStreamNotFound,
		nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrStaleConnection,
	} {
		if errors.Is(err, passes) {
			return true
		}
	}
	var refused *jetstream.APIError
	return errors.As(err, &refused) && refused.Code >= 500 && !full(refused)
}

// The error codes of NATS for a message over the limit of its size, and for any message
// that it cannot store.
const (
	codeTooLarge    = 10054
	codeStoreFailed = 10077
)

// full reports whether NATS has no room for a message.
func full(refused *jetstream.APIError) bool {
	return kept.NoStorage(refused) || refused.ErrorCode == codeTooLarge || refused.ErrorCode == codeStoreFailed
}
