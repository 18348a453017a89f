package websocket

import (
	"context"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// pinger asks a silent peer whether it is still there. Between two pings it is a
// timer, and no goroutine. The zero value does nothing.
type pinger struct {
	every time.Duration
	timer *time.Timer
	turn  sync.Mutex // held while the peer is asked
	ended bool
}

// start begins to ask; a negative interval does not.
func (s *stream) startPings(every time.Duration) {
	p := &s.pings
	p.turn.Lock()
	defer p.turn.Unlock()
	if every <= 0 {
		return
	}
	p.every = every
	p.timer = group.AfterFunc(every, s.ping)
}

// ping asks the peer unless it has been heard of, and cuts the connection when
// it does not answer. A peer that something is being written to may have to take
// that first; how long it may take for it is another's to watch.
func (s *stream) ping() {
	p := &s.pings
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.ended {
		return
	}
	if !s.heard.Swap(false) && !s.writing.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), p.every)
		defer cancel()
		if s.conn.Ping(ctx) != nil && !s.heard.Load() && !s.writing.Load() {
			s.cut()
			return
		}
	}
	p.timer.Reset(p.every)
}

// stop ends the pings of a connection that is closed, and waits for the one
// under way, which fails.
func (p *pinger) stop() {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
