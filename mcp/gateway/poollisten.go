package gateway

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// hasSessionConn reports whether requests of a session use a connection of their own.
func (m *member) hasSessionConn(l *link, req *protocol.Request) bool {
	return m.up.Asks && !l.modern && req.Meta.Session() != nil
}

// listen subscribes to a resource on the connection of a session, because notifications can depend
// on its state. It returns after the upstream's response, and appends an accepted URI to granted.
// wait returns at the end of the subscription, which ends with ctx.
func (s *connectionPool) listen(ctx context.Context, req *protocol.Request, uri string, granted *[]string) (wait func()) {
	ended, decided := make(chan struct{}), make(chan struct{})
	decide := sync.OnceFunc(func() { close(decided) })
	var honoured []string
	s.m.g.run.Go(func() {
		defer close(ended)
		defer decide()
		ln, err := s.take(poolKey{session: req.Meta.Session()})
		if err != nil {
			return
		}
		defer s.give(ln, true)
		if s.connect(ctx, ln, req.Meta.Capabilities(), req.Meta.LogLevel) != nil {
			return
		}
		ln.link.keepListening(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, func(n protocol.Notification) {
			switch n := n.(type) {
			case *protocol.AcknowledgedNotification:
				select {
				case <-decided:
				default:
					honoured = n.Filter.ResourceSubscriptions
				}
				decide()
			case *protocol.ResourceUpdatedNotification:
				if n.IncludedIn(uri) {
					_ = req.Notify(ctx, &protocol.ResourceUpdatedNotification{URI: n.URI, Subscription: req.ID}) // a client that is gone hears nothing
				}
			}
		})
	})
	patience, cancel := context.WithTimeout(ctx, s.m.g.opts.StartTimeout)
	defer cancel()
	select {
	case <-decided:
		*granted = append(*granted, honoured...)
	case <-patience.Done():
	}
	return func() { <-ended }
}
