package agents

import (
	"context"
	"crypto/rand"
	"encoding/json"
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

// beats is the number of signs of life within a lease.
const beats = 6

// Server orders agents: it sends signs of life, knows the other living servers, and has
// Executors. It implements the interface of agents.Options.Peers.
type Server struct {
	s    *Store
	name string
	sub  *nats.Subscription
	ctx  context.Context
	stop context.CancelFunc
	work group.Group

	mu     sync.Mutex
	runs   map[string]chan struct{} // by the last part of their subjects: there is something to read
	left   map[string]bool          // subjects of logs that are not needed any more
	steady time.Time                // since when NATS knows without a break that it lives
}

// Serve returns a new Server. Close it after its users: without its signs of life the runners
// end the agents that it has ordered.
func (s *Store) Serve(ctx context.Context) (*Server, error) {
	v := &Server{s: s, name: rand.Text(), runs: make(map[string]chan struct{}), left: make(map[string]bool)}
	v.ctx, v.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := v.beat(ctx); err != nil {
		v.stop()
		return nil, err
	}
	var err error
	v.sub, err = s.nc.Subscribe(s.subject("hint", v.name, "*"), func(m *nats.Msg) { v.hint(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]) })
	if err != nil {
		v.stop()
		return nil, fmt.Errorf("listening to runners: %w", err)
	}
	v.steady = time.Now()
	v.work.Keep(v.ctx, v.beating)
	v.work.Keep(v.ctx, v.forgetting)
	return v, nil
}

// Close says that the server does not live any more.
func (v *Server) Close() error {
	v.stop()
	v.work.Wait()
	_ = v.sub.Unsubscribe() // on a closed connection there is nothing to end
	v.sweep()
	v.s.leave(v.ctx, "server."+v.name)
	return nil
}

// Name is the server's name among its peers.
func (v *Server) Name() string { return v.name }

func (s *Store) aliveStream() jetstream.Stream { return s.kept().alive }

// live writes the sign of life of a server or runner. It is valid for a lease.
func (s *Store) live(ctx context.Context, key string, v any) error {
	m := nats.NewMsg(s.key("agent-alive", key))
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m.Data = data
	return s.try(ctx, "saying that this program lives", func(ctx context.Context) error {
		_, err := s.conn.JS.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		return err
	})
}

func (v *Server) beat(ctx context.Context) error { return v.s.live(ctx, "server."+v.name, nil) }

func (v *Server) beating() {
	tick := time.NewTicker(v.s.opts.Lease / beats)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-v.ctx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(v.ctx, v.s.opts.Lease/2)
		err := v.beat(ctx)
		v.mu.Lock()
		switch {
		case err != nil:
			v.steady = time.Time{}
		case v.steady.IsZero():
			v.steady = time.Now()
		}
		v.mu.Unlock()
		if err == nil {
			v.sweep()
		}
		cancel()
	}
}

// errUnsteady is a question that cannot be answered yet.
var errUnsteady = errors.New("NATS was not reachable, and heartbeats may be missing")

// Living answers the names of the servers that live.
func (v *Server) Living(ctx context.Context) (map[string]bool, error) {
	prefix := v.s.key("agent-alive", "server.")
	living := make(map[string]bool)
	err := v.s.scan(ctx, "asking which servers live", v.s.aliveStream, part{subject: prefix + "*", headers: true}, func(m jetstream.Msg, _ uint64) {
		living[strings.TrimPrefix(m.Subject(), prefix)] = true
	})
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	steady := v.steady
	v.mu.Unlock()
	// This server has just started and cannot know of an earlier break.
	if steady.IsZero() || time.Since(steady) < v.s.opts.Lease {
		return nil, errUnsteady
	}
	return living, nil
}

// listen has a run hear when there is something to read.
func (v *Server) listen(run string) (news <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.runs[run] = c
	return c, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.runs, run)
	}
}

func (v *Server) hint(run string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c := v.runs[run]; c != nil {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// abandon has a log removed, now or later. Further writes to it are refused.
func (v *Server) abandon(subject string) {
	v.mu.Lock()
	v.left[subject] = true
	v.mu.Unlock()
	v.sweep()
}

// sweep removes the abandoned logs, as far as NATS is reachable.
func (v *Server) sweep() {
	v.mu.Lock()
	left := make([]string, 0, len(v.left))
	for subject := range v.left {
		left = append(left, subject)
	}
	v.mu.Unlock()
	for _, subject := range left {
		err := v.s.once(context.WithoutCancel(v.ctx), func(ctx context.Context) error { return purge(ctx, v.s.runStream(), subject, 0) })
		if err != nil {
			v.s.opts.Log.Debug("the log of a run is removed later", slog.Any("error", err))
			return
		}
		v.mu.Lock()
		delete(v.left, subject)
		v.mu.Unlock()
	}
}
