package access

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security/ratelimit"
)

// Stats are the counters of a Control.
type Stats struct {
	// Active is the number of open sessions, and Max its limit. Total counts all sessions since
	// New.
	Active int   `json:"active"`
	Max    int   `json:"max"`
	Total  int64 `json:"total"`
	// ByClient counts the open sessions by kind of client, and TotalByClient all sessions; see
	// Detect.
	ByClient      map[string]int   `json:"byClient"`
	TotalByClient map[string]int64 `json:"totalByClient"`
	// Refused counts the refused requests by code.
	Refused map[string]int64 `json:"refused"`
}

// Stats returns the current counters.
func (c *Control) Stats() Stats {
	st := c.settings.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeEnded(st)
	s := Stats{
		Active: len(c.sessions), Max: st.MaxConnections, Total: c.total,
		ByClient: make(map[string]int), TotalByClient: maps.Clone(c.totals), Refused: maps.Clone(c.refused),
	}
	for _, one := range c.sessions {
		s.ByClient[one.client.kind]++
	}
	return s
}

// Session is an open session.
type Session struct {
	ID        string    `json:"id"`     // for display; unique within the Control
	Client    string    `json:"client"` // kind of client; see Detect
	Name      string    `json:"name"`   // name of the client, truncated like Version
	Version   string    `json:"version"`
	Principal string    `json:"principal,omitempty"`
	Transport string    `json:"transport"`
	Address   string    `json:"address,omitempty"` // address of the first request
	Since     time.Time `json:"connectedAt"`
	Last      time.Time `json:"lastActivity"`
	Requests  int64     `json:"requests"`
	Running   int       `json:"running"`       // requests in progress
	Listens   int       `json:"subscriptions"` // open subscriptions
	// Left is the number of further requests that are allowed now; -1 without a limit.
	Left ratelimit.Quota `json:"remaining"`
}

// Sessions returns the open sessions, the oldest first.
func (c *Control) Sessions() []Session {
	st := c.settings.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeEnded(st)
	all := make([]Session, 0, len(c.sessions))
	for _, s := range c.sessions {
		all = append(all, Session{
			ID: s.id, Client: s.client.kind, Name: s.client.name, Version: s.client.version,
			Principal: s.peer.Principal, Transport: s.peer.Transport, Address: s.peer.Address,
			Since: s.since, Last: s.last, Requests: s.requests, Running: s.running, Listens: s.listens,
			Left: c.limiter.Peek(ratelimit.Demand[bucket]{Key: bucket{owner: s.owner.key}, Limits: st.limits}).Left,
		})
	}
	slices.SortFunc(all, func(a, b Session) int { return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID)) })
	return all
}
