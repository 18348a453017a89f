package sessions

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// maxReceiving is how many messages one Handler receives at once; others wait.
const maxReceiving = 256

// relayed stands for the session of the parts of long messages, which have none.
const relayed = "relay"

// member is a Handler that has joined.
type member struct {
	s       *Store
	receive func(ctx context.Context, message []byte) []byte
	places  chan struct{}
	ctx     context.Context
	running group.Group

	mu   sync.Mutex
	left bool
}

// Join implements httpserver.Relay.
func (s *Store) Join(name string, receive func(ctx context.Context, message []byte) []byte) (leave func(), err error) {
	m := &member{s: s, receive: receive, places: make(chan struct{}, maxReceiving)}
	var stop context.CancelFunc
	m.ctx, stop = context.WithCancel(context.Background())
	var all []*nats.Subscription
	for _, subject := range []string{s.subject("to." + name), s.subject("all")} {
		sub, subErr := s.nc.Subscribe(subject, m.got)
		if err = subErr; err != nil {
			break
		}
		all = append(all, sub)
	}
	leave = func() {
		s.drain(all)
		m.mu.Lock()
		m.left = true
		m.mu.Unlock()
		stop()
		m.running.Wait()
	}
	if err != nil {
		leave()
		return nil, fmt.Errorf("joining: %w", err)
	}
	s.subscribed()
	return leave, nil
}

// drain ends subscriptions after their pending messages have arrived, so that each of them
// gets its reply. It waits for a limited time.
func (s *Store) drain(all []*nats.Subscription) {
	ended, draining := make(chan struct{}, len(all)), 0
	for _, sub := range all {
		sub.SetClosedHandler(func(string) { ended <- struct{}{} })
		if s.nc.IsConnected() && sub.Drain() == nil {
			draining++
		} else {
			_ = sub.Unsubscribe() // on a closed connection there is nothing to end
		}
	}
	timer := time.NewTimer(s.opts.Timeout)
	defer timer.Stop()
	for range draining {
		select {
		case <-ended:
		case <-timer.C:
			return
		}
	}
}

// subscribed returns when NATS knows of a subscription. When NATS is away it is
// told once it is there again.
func (s *Store) subscribed() {
	if s.nc.IsConnected() {
		_ = s.nc.FlushTimeout(s.opts.Timeout)
	}
}

// got receives a message without holding up the next.
func (m *member) got(msg *nats.Msg) {
	select {
	case m.places <- struct{}{}:
	case <-m.ctx.Done():
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left {
		<-m.places
		return
	}
	m.running.Go(func() {
		defer func() { <-m.places }()
		m.serve(msg)
	})
}

func (m *member) serve(msg *nats.Msg) {
	ctx, cancel := context.WithTimeout(m.ctx, m.s.opts.Timeout)
	defer cancel()
	message, err := m.s.unpack(ctx, msg.Header, msg.Data)
	if err != nil {
		m.s.opts.Log.Warn("a message of another instance could not be read", "error", err)
		return
	}
	answer := m.receive(ctx, message)
	if msg.Reply == "" {
		return
	}
	reply := nats.NewMsg(msg.Reply)
	if err = m.s.pack(ctx, relayed, reply, answer); err == nil {
		err = m.s.nc.PublishMsg(reply)
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		m.s.opts.Log.Debug("another instance could not be answered", "error", err)
	}
}

// Tell implements httpserver.Relay.
func (s *Store) Tell(name string, message []byte) error {
	ctx, cancel, err := s.begin(context.Background())
	if err != nil {
		return err
	}
	defer cancel()
	m := nats.NewMsg(s.subject("all"))
	if name != "" {
		m.Subject = s.subject("to." + name)
	}
	if err := s.pack(ctx, relayed, m, message); err != nil {
		return err
	}
	if err := s.nc.PublishMsg(m); err != nil {
		return fmt.Errorf("telling other instances: %w", err)
	}
	return nil
}

// Ask implements httpserver.Relay.
func (s *Store) Ask(ctx context.Context, name string, message []byte) ([]byte, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	m := nats.NewMsg(s.subject("to." + name))
	if err := s.pack(ctx, relayed, m, message); err != nil {
		return nil, err
	}
	if m.Header != nil && m.Header.Get(partsHeader) != "" {
		defer s.drop(context.WithoutCancel(ctx), m.Header)
	}
	reply, err := s.nc.RequestMsgWithContext(ctx, m)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, httpserver.ErrNoHandler
	case err != nil:
		return nil, fmt.Errorf("asking another instance: %w", err)
	}
	answer, err := s.unpack(ctx, reply.Header, reply.Data)
	if reply.Header.Get(partsHeader) != "" {
		s.drop(ctx, reply.Header)
	}
	return answer, err
}
