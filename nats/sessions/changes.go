package sessions

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// changed is the message of an instance about a changed list or resource.
type changed struct {
	From string `json:"from"`
	List string `json:"list,omitempty"`
	URI  string `json:"uri,omitempty"`
}

// ShareChanges notifies the clients of all instances of a change at one: of a list or of a
// resource. It serves every revision and every transport, since a client of 2026-07-28
// listens at one instance, too. A notification that is lost because NATS is not reachable
// is not repeated.
//
// The program must make the same changes at all instances: after the notification a client
// asks again, and any instance may answer.
func (s *Store) ShareChanges(server *mcp.Server) (stop func(), err error) {
	self, signal, done := rand.Text(), make(chan struct{}, 1), make(chan struct{})
	subject := s.subject("changes")
	sub, err := s.nc.Subscribe(subject, func(m *nats.Msg) {
		var c changed
		switch err := json.Unmarshal(m.Data, &c); {
		case err != nil:
			s.opts.Log.Warn("a change message of another instance could not be read", "error", err)
		case c.From == self:
		case c.List != "":
			server.ForwardChange(&protocol.ListChangedNotification{List: c.List})
		case c.URI != "":
			server.ForwardChange(&protocol.ResourceUpdatedNotification{URI: c.URI})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("sharing changes: %w", err)
	}
	s.subscribed()
	watch := server.WatchAll(func() {
		select {
		case signal <- struct{}{}:
		default:
		}
	})
	s.running.Go(func() {
		for {
			select {
			case <-signal:
			case <-done:
				return
			case <-s.closed:
				return
			}
			for _, n := range watch.Take() {
				s.publishChange(subject, self, n)
			}
		}
	})
	return sync.OnceFunc(func() {
		watch.Stop()
		_ = sub.Unsubscribe() // on a closed connection there is nothing to end
		close(done)
	}), nil
}

func (s *Store) publishChange(subject, self string, n protocol.Notification) {
	c := changed{From: self}
	switch n := n.(type) {
	case *protocol.ListChangedNotification:
		c.List = n.List
	case *protocol.ResourceUpdatedNotification:
		c.URI = n.URI
	}
	message, err := json.Marshal(c)
	if err == nil {
		err = s.nc.Publish(subject, message)
	}
	if err != nil {
		s.opts.Log.Warn("other instances could not be notified of a change", "error", err)
	}
}
