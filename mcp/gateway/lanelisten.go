package gateway

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/mcp"
)

// forSession reports whether the requests of a session go to an upstream on a
// connection of the session's own.
func (m *member) forSession(l *link, req *mcp.Request) bool {
	return m.up.Asks && !l.modern && req.Meta.Session() != nil
}

// listen subscribes to a resource on the lane of a session: what an upstream tells
// of it may depend on what the session does there. It returns when that is decided;
// a resource that is granted is added to granted. wait returns when the
// subscription has ended, which it does with ctx.
func (s *lanes) listen(ctx context.Context, req *mcp.Request, uri string, granted *[]string) (wait func()) {
	ended, decided := make(chan struct{}), make(chan struct{})
	decide := sync.OnceFunc(func() { close(decided) })
	var honoured []string
	s.m.g.run.Go(func() {
		defer close(ended)
		defer decide()
		ln, err := s.take(laneKey{session: req.Meta.Session()})
		if err != nil {
			return
		}
		defer s.give(ln, true)
		if s.connect(ctx, ln, req.Meta.Capabilities(), req.Meta.LogLevel) != nil {
			return
		}
		ln.link.keepListening(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, func(n mcp.Notification) {
			switch n := n.(type) {
			case *mcp.AcknowledgedNotification:
				select {
				case <-decided:
				default:
					honoured = n.Filter.ResourceSubscriptions
				}
				decide()
			case *mcp.ResourceUpdatedNotification:
				if n.IncludedIn(uri) {
					_ = req.Notify(ctx, &mcp.ResourceUpdatedNotification{URI: n.URI, Subscription: req.ID}) // a client that is gone hears nothing
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
