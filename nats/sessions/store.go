package sessions

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// ErrUnavailable is the error of every operation, at once, while there is no connection to
// NATS. Package tasks has the same error.
var ErrUnavailable = kept.ErrUnavailable

// Options say where and for how long a Store keeps things. The zero value, or
// nil, has the defaults. All instances of a server must have the same.
type Options struct {
	// Prefix begins the names of everything in NATS: letters, digits, "-" and
	// "_". Default "dougu". Servers that have nothing to do with each other need
	// different ones.
	Prefix string
	// Idle is the time after which NATS removes the record of an unused session. It should be
	// twice httpserver.Options.SessionIdle, so that the Handlers refresh or end a session
	// before its record expires. Default 1 hour.
	Idle time.Duration
	// EventAge is the time for which events are kept. A client that resumes a stream within
	// it misses no event; after it, the removed events are lost to the client. Default 30
	// minutes.
	EventAge time.Duration
	// EventBytes is the limit of the kept events, in bytes. The oldest events are removed
	// first. Default 1 GiB.
	EventBytes int64
	// Replicas is how many NATS servers keep everything. Default 1.
	Replicas int
	// Memory keeps everything in memory instead of in files: faster, and lost
	// when NATS restarts.
	Memory bool
	// Timeout is how long NATS may take for anything. Default 3 s.
	Timeout time.Duration
	// Log receives errors that no caller can receive. Default: slog.Default().
	Log *slog.Logger
}

func (o *Options) orDefault() (Options, kept.Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	common := kept.Options{Prefix: opts.Prefix, Replicas: opts.Replicas, Memory: opts.Memory, Timeout: opts.Timeout, Log: opts.Log}
	if err := common.Default(); err != nil {
		return opts, common, err
	}
	opts.Prefix, opts.Timeout, opts.Log = common.Prefix, common.Timeout, common.Log
	kept.OrElse(&opts.Idle, time.Hour)
	kept.OrElse(&opts.EventAge, 30*time.Minute)
	kept.OrElse(&opts.EventBytes, 1<<30)
	return opts, common, nil
}

// Store implements httpserver.Shared. Any number of Handlers may have one in
// common, and any number of Stores the same NATS.
type Store struct {
	opts    Options
	conn    *kept.Conn // the part that all stores in NATS have in common: ErrUnavailable, streams
	nc      *nats.Conn
	js      jetstream.JetStream
	running group.Group   // follows changes and serves messages of other instances, until Close
	closed  chan struct{} // closed by Close
	once    sync.Once

	mu      sync.Mutex         // guards records and events, which are opened again after a loss
	records jetstream.KeyValue // session records
	events  jetstream.Stream   // events for resumption, and parts of long messages
}

var _ httpserver.Shared = (*Store)(nil)

// New returns a Store on a connection, which should reconnect without a limit
// (nats.MaxReconnects(-1)). It creates the bucket <prefix>-sessions and the stream
// <prefix>-events, or changes them to the options. opts may be nil. Close ends the Store,
// but not the connection.
func New(ctx context.Context, nc *nats.Conn, opts *Options) (*Store, error) {
	o, common, err := opts.orDefault()
	if err != nil {
		return nil, fmt.Errorf("sharing sessions over NATS: %w", err)
	}
	s := &Store{opts: o, nc: nc, closed: make(chan struct{})}
	if s.conn, err = kept.New(ctx, nc, common, s.prepare); err != nil {
		return nil, fmt.Errorf("sharing sessions over NATS: %w", err)
	}
	s.js = s.conn.JS
	return s, nil
}

// Close ends the goroutines that serve messages of other instances, and waits for
// them. Shut the Handlers down first.
func (s *Store) Close() {
	s.once.Do(func() { close(s.closed) })
	s.running.Wait()
	s.conn.Wait()
}

// prepare makes the bucket and the stream. The subjects part.> are for messages longer than a
// message of NATS may be, which are kept in parts.
func (s *Store) prepare(ctx context.Context, conn *kept.Conn) error {
	bucket := s.opts.Prefix + "-sessions"
	if _, err := conn.Bucket(ctx, bucket, jetstream.StreamConfig{Description: "Sessions of MCP", MaxAge: s.opts.Idle}); err != nil {
		return err
	}
	records, err := conn.JS.KeyValue(ctx, bucket)
	if err != nil {
		return fmt.Errorf("opening the bucket %s: %w", bucket, err)
	}
	events, err := conn.Stream(ctx, jetstream.StreamConfig{
		Name: s.opts.Prefix + "-events", Description: "What clients of MCP can come back for",
		Subjects: []string{s.subject("event.>"), s.subject("part.>")},
		MaxAge:   s.opts.EventAge, MaxBytes: s.opts.EventBytes, Discard: jetstream.DiscardOld,
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records, s.events = records, events
	return nil
}

func (s *Store) subject(rest string) string { return s.opts.Prefix + "." + rest }

func (s *Store) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	return s.conn.Begin(ctx)
}

// streams returns the bucket and the stream.
func (s *Store) streams() (jetstream.KeyValue, jetstream.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records, s.events
}

func (s *Store) failed(doing string, err error) error { return s.conn.Failed(doing, err) }

func key(session string) string { return kept.Key(session) }
