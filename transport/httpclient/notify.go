package httpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// clientPump hands notifications to their receiver in order, without making who
// reads from the network wait for it. Its goroutine begins with the first one.
type clientPump struct {
	receive func(mcp.Notification)
	spawn   func(func()) bool

	box  peer.Inbox
	stop chan struct{} // nil until it runs
	done chan struct{}
}

// put takes a notification.
func (p *clientPump) put(n mcp.Notification) {
	p.box.Put(n)
	if p.stop != nil {
		return
	}
	stop, done := make(chan struct{}), make(chan struct{})
	if p.spawn(func() { p.run(stop, done) }) {
		p.stop, p.done = stop, done
	}
}

func (p *clientPump) run(stop, done chan struct{}) {
	defer close(done)
	for {
		select {
		case <-p.box.Signal():
			p.deliver()
		case <-stop:
			return
		}
	}
}

func (p *clientPump) deliver() {
	for _, n := range p.box.Take() {
		p.receive(n)
	}
}

// finish returns when everything has been received.
func (p *clientPump) finish() {
	if p.stop != nil {
		close(p.stop)
		<-p.done
	}
	p.deliver()
}

// Notify implements mcp.Notifier: it sends a notification of the client's own,
// of which there are some in sessions.
func (c *clientConn) Notify(ctx context.Context, n mcp.Notification) error {
	if err := c.over(ctx); err != nil {
		return err
	}
	rev := c.Revision()
	if rev.Modern() {
		return fmt.Errorf("a client sends no notifications over HTTP in revision %s, so neither %s", rev, n.Method())
	}
	ctx, cancel, _ := c.during(ctx)
	defer cancel(nil)
	params := n.AppendParams(nil, rev)
	s := c.session.Load()
	err := c.tell(ctx, s, n.Method(), params)
	if !s.mayBeLost(err) {
		return err
	}
	switch failed := c.renew(ctx, s, err); {
	case errors.Is(failed, errSessionLives):
		return err
	case failed != nil:
		return failed
	}
	return c.tell(ctx, c.session.Load(), n.Method(), params)
}
