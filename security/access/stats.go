package access

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security/ratelimit"
)

// Stats tell how much a server is used.
type Stats struct {
	// Active are the sessions that have a place, of at most Max, and Total those
	// that ever had one.
	Active int   `json:"active"`
	Max    int   `json:"max"`
	Total  int64 `json:"total"`
	// ByClient are the active sessions, and TotalByClient all, by the kind of the
	// client; see Detect.
	ByClient      map[string]int   `json:"byClient"`
	TotalByClient map[string]int64 `json:"totalByClient"`
	// Refused are requests by the code of their refusal.
	Refused map[string]int64 `json:"refused"`
}

// Stats returns what was counted until now.
func (c *Control) Stats() Stats {
	st := c.settings.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep(st)
	s := Stats{
		Active: len(c.sessions), Max: st.MaxConnections, Total: c.total,
		ByClient: make(map[string]int), TotalByClient: maps.Clone(c.totals), Refused: maps.Clone(c.refused),
	}
	for _, one := range c.sessions {
		s.ByClient[one.client.kind]++
	}
	return s
}

// Session is a client that has a place.
type Session struct {
	ID        string    `json:"id"`     // for people, while the Control lives
	Client    string    `json:"client"` // its kind
	Name      string    `json:"name"`   // that it gives itself, cut short, as is the version
	Version   string    `json:"version"`
	Principal string    `json:"principal,omitempty"`
	Transport string    `json:"transport"`
	Address   string    `json:"address,omitempty"` // of its first request
	Since     time.Time `json:"connectedAt"`
	Last      time.Time `json:"lastActivity"`
	Requests  int64     `json:"requests"`
	Running   int       `json:"running"` // requests that are being served
	Listens   int       `json:"subscriptions"`
	// Left is how many more requests it may make now; -1 without a limit.
	Left ratelimit.Quota `json:"remaining"`
}

// Sessions returns the sessions that have a place, the oldest first.
func (c *Control) Sessions() []Session {
	st := c.settings.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep(st)
	all := make([]Session, 0, len(c.sessions))
	for _, s := range c.sessions {
		all = append(all, Session{
			ID: s.id, Client: s.client.kind, Name: s.client.name, Version: s.client.version,
			Principal: s.peer.Principal, Transport: s.peer.Transport, Address: s.peer.Address,
			Since: s.since, Last: s.last, Requests: s.requests, Running: s.running, Listens: s.listens,
			Left: c.limiter.Look(ratelimit.Demand[bucket]{Key: bucket{who: s.owner.key}, Limits: st.limits}).Left,
		})
	}
	slices.SortFunc(all, func(a, b Session) int { return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID)) })
	return all
}
