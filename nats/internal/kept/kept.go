// Package kept has the common part of stores in JetStream: requests with ErrUnavailable
// while there is no connection, streams and buckets that are created again after NATS has
// lost its memory, and the names of streams and keys.
package kept

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/group"
)

// ErrUnavailable is the error of every operation, at once, while there is no connection to
// NATS.
var ErrUnavailable = errors.New("there is no connection to NATS at present")

// Options are the options that all stores have.
type Options struct {
	Prefix   string
	Replicas int
	Memory   bool
	Timeout  time.Duration
	Log      *slog.Logger
}

// Default sets the defaults of unset options, and checks the prefix.
func (o *Options) Default() error {
	if o.Prefix == "" {
		o.Prefix = "dougu"
	}
	if strings.Trim(o.Prefix, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return fmt.Errorf("the prefix %q has something else than letters, digits, \"-\" and \"_\"", o.Prefix)
	}
	OrElse(&o.Replicas, 1)
	OrElse(&o.Timeout, 3*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return nil
}

// OrElse sets v to def unless it is positive.
func OrElse[T int | int64 | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

// Conn is the connection of a store to NATS.
type Conn struct {
	NC   *nats.Conn
	JS   jetstream.JetStream
	opts Options

	prepare func(context.Context, *Conn) error
	running group.Group
	mu      sync.Mutex
	made    time.Time // time of the last call of prepare
}

// New returns a Conn. prepare creates missing streams and buckets. It is called at once, and
// again when one of them was lost.
func New(ctx context.Context, nc *nats.Conn, o Options, prepare func(context.Context, *Conn) error) (*Conn, error) {
	c := &Conn{NC: nc, opts: o, prepare: prepare}
	var err error
	if c.JS, err = jetstream.New(nc, jetstream.WithDefaultTimeout(o.Timeout)); err != nil {
		return nil, err
	}
	if err := prepare(ctx, c); err != nil {
		return nil, err
	}
	c.made = time.Now()
	return c, nil
}

// Wait waits for the goroutines of the connection.
func (c *Conn) Wait() { c.running.Wait() }

// Begin is the beginning of everything that asks NATS for something.
func (c *Conn) Begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if !c.NC.IsConnected() {
		return nil, nil, ErrUnavailable
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	return ctx, cancel, nil
}

// Failed looks at an error of JetStream: when it says that a stream is not there
// any more, for NATS has lost its memory, all are made anew.
func (c *Conn) Failed(doing string, err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
		c.mu.Lock()
		again := time.Since(c.made) > time.Second
		if again {
			c.made = time.Now()
		}
		c.mu.Unlock()
		if again {
			c.running.Go(c.rebuild)
		}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (c *Conn) rebuild() {
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.Timeout)
	defer cancel()
	if err := c.prepare(ctx, c); err != nil {
		c.opts.Log.Warn("the streams in NATS cannot be created again", "error", err)
	}
}

// Stream creates a stream, or changes it to the wanted configuration. It sets the storage
// and the replicas.
//
// No stream allows direct gets, which any replica answers: a deleted message must not be
// found any more, and an announced message must be found.
func (c *Conn) Stream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	want.Storage, want.Replicas = jetstream.FileStorage, c.opts.Replicas
	if c.opts.Memory {
		want.Storage = jetstream.MemoryStorage
	}
	want.Duplicates = 2 * time.Minute
	if want.MaxAge > 0 {
		want.Duplicates = min(want.MaxAge, want.Duplicates)
	}
	stream, err := c.JS.CreateOrUpdateStream(ctx, want)
	if NoStorage(err) {
		return nil, fmt.Errorf("making the stream %s, which reserves %d bytes; NATS has less storage left: give it more (max_file_store, max_memory_store), or set a lower limit of bytes: %w", want.Name, want.MaxBytes, err)
	}
	if err != nil {
		return nil, fmt.Errorf("making the stream %s: %w", want.Name, err)
	}
	return stream, nil
}

// NoStorage reports whether NATS refused a stream or message because the storage of the
// account, the server, the memory or the files does not suffice.
func NoStorage(err error) bool {
	var refused *jetstream.APIError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.ErrorCode {
	case 10002, 10023, 10028, 10047: // account, server, memory, files
		return true
	}
	return false
}

// Bucket makes the stream of a bucket, whose keys have one value each.
func (c *Conn) Bucket(ctx context.Context, bucket string, want jetstream.StreamConfig) (jetstream.Stream, error) {
	want.Name, want.Subjects = "KV_"+bucket, []string{"$KV." + bucket + ".>"}
	want.MaxMsgsPerSubject, want.Discard, want.AllowRollup, want.DenyDelete = 1, jetstream.DiscardNew, true, true
	return c.Stream(ctx, want)
}

// Key returns the key of an object by its id. A reader of the keys does not learn the ids.
func Key(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:20])
}

// WrongSequence reports whether NATS has refused a message because another came before.
func WrongSequence(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
