package access

import (
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
)

// client is who a client says it is.
type client struct {
	kind    string
	name    string // cut short
	version string
	plain   string
}

// maxShown is how much of a client's name and version is kept, in bytes.
const maxShown = 64

func clientOf(req *mcp.Request) client {
	said := req.Meta.Client()
	return client{
		kind: Detect(said.Name, req.Peer.Headers.Get("User-Agent")),
		name: shown(said.Name), version: shown(said.Version), plain: plain(said.Name),
	}
}

func shown(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxShown)], "") }

// session is a client that has a place.
type session struct {
	key    caller.Key
	owner  owner // that its requests and its place count for
	client client
	id     string
	peer   mcp.Peer // without headers
	since  time.Time

	last     time.Time
	requests int64
	running  int // requests
	listens  int // subscriptions
}

// silent is for how long a session has asked nothing.
func (s *session) silent(now time.Time) time.Duration {
	if s.running > 0 {
		return 0
	}
	return now.Sub(s.last)
}

// enter finds the session of a request, or gives it a place. leave must be called
// when there is no refusal.
func (c *Control) enter(st *settings, req *mcp.Request) (*session, *Refusal) {
	key := c.keys.Of(req)
	if s := c.known(key, req); s != nil {
		if !st.allows(s.client) { // any more
			c.leave(s, req)
			c.expel(s)
			return nil, notAllowed(req, s.client)
		}
		return s, nil
	}
	who := clientOf(req)
	if !st.allows(who) {
		return nil, notAllowed(req, who)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[key]; s != nil { // meanwhile
		s.begin(req)
		return s, nil
	}
	by := c.ownerOf(req)
	if !c.hasRoom(st, by) {
		c.sweep(st)
	}
	if !c.hasRoom(st, by) && !c.replace(st, by) {
		return nil, tooMany(req, who, c.places[by.key], st.Idle)
	}
	s := c.open(key, who, by, req)
	s.begin(req)
	return s, nil
}

// known finds a session that has a place, and begins a request of it.
func (c *Control) known(key caller.Key, req *mcp.Request) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[key]
	if s != nil {
		s.begin(req)
	}
	return s
}

// open gives a session a place; the lock is held.
func (c *Control) open(key caller.Key, who client, by owner, req *mcp.Request) *session {
	c.total++
	c.totals[who.kind]++
	s := &session{key: key, owner: by, client: who, id: strconv.FormatInt(c.total, 10), since: time.Now(), peer: req.Peer}
	s.peer.Headers = nil
	if c.sessions == nil {
		c.sessions = make(map[caller.Key]*session)
	}
	c.sessions[key] = s
	c.places[by.key]++
	return s
}

// begin notes a request; the lock is held.
func (s *session) begin(req *mcp.Request) {
	s.last = time.Now()
	if isListen(req) {
		s.listens++
		return
	}
	s.running++
	s.requests++
}

// leave is the end of a request.
func (c *Control) leave(s *session, req *mcp.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !isListen(req) {
		s.running--
		s.last = time.Now()
		return
	}
	s.listens--
}

// expel takes a session's place.
func (c *Control) expel(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.close(s)
}

// close takes a session's place; the lock is held.
func (c *Control) close(s *session) {
	if c.sessions[s.key] == s {
		delete(c.sessions, s.key)
		if c.places[s.owner.key]--; c.places[s.owner.key] == 0 {
			delete(c.places, s.owner.key)
		}
	}
}

// sweep ends the sessions that are over; the lock is held.
func (c *Control) sweep(st *settings) {
	now := time.Now()
	for _, s := range c.sessions {
		if s.key.Gone() || s.listens == 0 && s.silent(now) >= st.Idle {
			c.close(s)
		}
	}
}

// replace ends the session that has been silent longest, if that is long enough;
// an owner that has places already replaces its own sessions alone. The lock is held.
func (c *Control) replace(st *settings, by owner) bool {
	ownAlone := by.bounded && c.places[by.key] > 0
	now := time.Now()
	var silent *session
	for _, s := range c.sessions {
		if ownAlone && s.owner.key != by.key {
			continue
		}
		if s.silent(now) >= st.Idle && (silent == nil || s.last.Before(silent.last)) {
			silent = s
		}
	}
	if silent == nil {
		return false
	}
	c.close(silent)
	return true
}

func isListen(req *mcp.Request) bool { return req.Method == "subscriptions/listen" }
