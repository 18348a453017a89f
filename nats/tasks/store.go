package tasks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/nats/internal/kept"
)

// ErrUnavailable is the error of every operation, at once, while there is no connection to
// NATS. Package sessions has the same error.
var ErrUnavailable = kept.ErrUnavailable

// errClosed is the error of every operation after Close.
var errClosed = errors.New("the store of tasks is closed")

const (
	// runnerAge is the time after which NATS removes the lease of a runner. A lease itself
	// lasts half a minute and is renewed; the record must only outlast it.
	runnerAge = time.Hour
	// messageOverhead is the size of a message without the data of its task, in bytes.
	messageOverhead = 16 << 10
)

// Options say where a Store keeps things. The zero value, or nil, has the defaults.
// All instances of a server must have the same.
type Options struct {
	// Prefix begins the names of everything in NATS: letters, digits, "-" and
	// "_". Default "dougu". Servers that have nothing to do with each other need
	// different ones.
	Prefix string
	// MaxBytes is the limit of one task, in bytes. It never exceeds the limit of a message
	// of NATS (max_payload, by default 1 MiB) less 16 KiB, which is the default. A larger
	// result makes its task fail.
	MaxBytes int
	// MaxTotalBytes is the limit of all tasks together, in bytes. Default 1 GiB.
	MaxTotalBytes int64
	// Replicas is how many NATS servers keep everything. Default 1.
	Replicas int
	// Memory keeps everything in memory instead of in files: faster, and lost
	// when NATS restarts.
	Memory bool
	// Timeout is how long NATS may take for anything. Default 3 s.
	Timeout time.Duration
	// Poll is the interval at which the stream of tasks is read for changes of other
	// instances. An instance also announces its changes by a message, the hint; Poll
	// finds the changes of a lost hint. Default 1 s.
	Poll time.Duration
	// Log receives errors that no caller can receive. Default: slog.Default().
	Log *slog.Logger
}

// Store implements mcp/tasks.Store. Any number of Runners may have one in common, and
// any number of Stores the same NATS.
type Store struct {
	opts    Options
	conn    *kept.Conn
	bucket  string // name of the bucket of tasks
	runners string // name of the bucket with the leases of runners

	mu       sync.Mutex // guards closed, watchers and last
	closed   bool
	watchers map[int64]context.CancelFunc // ends a watcher, by number
	last     int64                        // number of the last watcher
	work     group.Group                  // runs the watchers

	// streams are the streams below the two buckets. They are opened again after a loss.
	streams struct {
		sync.Mutex
		tasks, runners jetstream.Stream
	}
}

var _ tasks.Store = (*Store)(nil)

// New returns a Store on a connection, which should reconnect without a limit
// (nats.MaxReconnects(-1)). It creates the buckets <prefix>-tasks and
// <prefix>-task-runners, or changes them to the options. opts may be nil. Close ends the
// goroutines of the Store, but not the connection.
func New(ctx context.Context, nc *nats.Conn, opts *Options) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	common := kept.Options{Prefix: o.Prefix, Replicas: o.Replicas, Memory: o.Memory, Timeout: o.Timeout, Log: o.Log}
	if err := common.Default(); err != nil {
		return nil, fmt.Errorf("keeping tasks in NATS: %w", err)
	}
	o.Prefix, o.Timeout, o.Log = common.Prefix, common.Timeout, common.Log
	kept.OrElse(&o.MaxTotalBytes, 1<<30)
	kept.OrElse(&o.Poll, time.Second)
	s := &Store{opts: o, bucket: o.Prefix + "-tasks", runners: o.Prefix + "-task-runners", watchers: make(map[int64]context.CancelFunc)}
	s.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("panic while tasks are watched", "panic", value, "stack", string(stack))
	}
	var err error
	if s.conn, err = kept.New(ctx, nc, common, s.prepare); err != nil {
		return nil, fmt.Errorf("keeping tasks in NATS: %w", err)
	}
	return s, nil
}

// Close ends all watching and waits for it. Close the Runners first.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	for _, cancel := range s.watchers {
		cancel()
	}
	clear(s.watchers)
	s.mu.Unlock()
	s.work.Wait()
	s.conn.Wait()
}

func (s *Store) prepare(ctx context.Context, conn *kept.Conn) error {
	all, err := conn.Bucket(ctx, s.bucket, jetstream.StreamConfig{Description: "Tasks of MCP", MaxBytes: s.opts.MaxTotalBytes})
	if err != nil {
		return err
	}
	runners, err := conn.Bucket(ctx, s.runners, jetstream.StreamConfig{Description: "Who runs tasks of MCP", MaxAge: runnerAge})
	if err != nil {
		return err
	}
	s.streams.Lock()
	defer s.streams.Unlock()
	s.streams.tasks, s.streams.runners = all, runners
	return nil
}

// begin returns the context of one operation, with Options.Timeout. The error is errClosed or
// ErrUnavailable. Every operation on NATS calls begin first, and the returned function last.
func (s *Store) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, nil, errClosed
	}
	return s.conn.Begin(ctx)
}

func (s *Store) tasks() jetstream.Stream {
	s.streams.Lock()
	defer s.streams.Unlock()
	return s.streams.tasks
}

func (s *Store) living() jetstream.Stream {
	s.streams.Lock()
	defer s.streams.Unlock()
	return s.streams.runners
}

// subject returns the subject of a task. Its id or its principal may be "*": NATS finds a
// task by its id alone, and the tasks of a principal by the principal alone.
func (s *Store) subject(id, principal string) string {
	return "$KV." + s.bucket + "." + id + "." + principal
}

// room returns the limit of the data of one task, in bytes. A larger task is refused.
func (s *Store) room() int {
	most := max(int(s.conn.NC.MaxPayload())-messageOverhead, 512)
	if s.opts.MaxBytes > 0 {
		most = min(most, s.opts.MaxBytes)
	}
	return most
}
