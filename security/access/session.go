package access

import (
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// client is the client of a session, as it describes itself.
type client struct {
	kind       string
	name       string // truncated for display
	version    string
	normalized string
}

// maxDisplay is the maximum length of a displayed name or version, in bytes.
const maxDisplay = 64

func clientOf(req *protocol.Request) client {
	said := req.Meta.Client()
	return client{
		kind: Detect(said.Name, req.Peer.Headers.Get("User-Agent")),
		name: truncateDisplay(said.Name), version: truncateDisplay(said.Version), normalized: normalizeName(said.Name),
	}
}

func truncateDisplay(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxDisplay)], "") }

// session is one open session.
type session struct {
	key    caller.Key
	owner  owner // owner of the session's limits
	client client
	id     string
	peer   protocol.Peer // without headers
	since  time.Time

	last     time.Time
	requests int64
	running  int // requests in progress
	listens  int // open subscriptions
}

// idleTime returns the time since the last request; 0 while a request runs.
func (s *session) idleTime(now time.Time) time.Duration {
	if s.running > 0 {
		return 0
	}
	return now.Sub(s.last)
}

// admit returns the session of a request, and opens it if necessary. Without a refusal the caller
// must call endRequest.
func (c *Control) admit(st *settings, req *protocol.Request) (*session, *Refusal) {
	key := c.keys.Of(req)
	if s := c.continueSession(key, req); s != nil {
		if !st.allows(s.client) { // Configure has removed the client
			c.endRequest(s, req)
			c.removeSession(s)
			return nil, clientRefusal(req, s.client)
		}
		return s, nil
	}
	who := clientOf(req)
	if !st.allows(who) {
		return nil, clientRefusal(req, who)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[key]; s != nil { // another request has opened it
		s.begin(req)
		return s, nil
	}
	by := c.ownerOf(req)
	if !c.hasRoom(st, by) {
		c.removeEnded(st)
	}
	if !c.hasRoom(st, by) && !c.evictIdle(st, by) {
		return nil, connectionRefusal(req, who, c.sessionCounts[by.key], st.Idle)
	}
	s := c.addSession(key, who, by, req)
	s.begin(req)
	return s, nil
}

// continueSession returns an open session and begins a request of it, or returns nil.
func (c *Control) continueSession(key caller.Key, req *protocol.Request) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[key]
	if s != nil {
		s.begin(req)
	}
	return s
}

// addSession opens a session. The caller holds the lock.
func (c *Control) addSession(key caller.Key, who client, by owner, req *protocol.Request) *session {
	c.total++
	c.totals[who.kind]++
	s := &session{key: key, owner: by, client: who, id: strconv.FormatInt(c.total, 10), since: time.Now(), peer: req.Peer}
	s.peer.Headers = nil
	if c.sessions == nil {
		c.sessions = make(map[caller.Key]*session)
	}
	c.sessions[key] = s
	c.sessionCounts[by.key]++
	return s
}

// begin counts a request. The caller holds the lock.
func (s *session) begin(req *protocol.Request) {
	s.last = time.Now()
	if isListen(req) {
		s.listens++
		return
	}
	s.running++
	s.requests++
}

// endRequest counts the end of a request.
func (c *Control) endRequest(s *session, req *protocol.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !isListen(req) {
		s.running--
		s.last = time.Now()
		return
	}
	s.listens--
}

// removeSession closes a session.
func (c *Control) removeSession(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeSession(s)
}

// closeSession closes a session. The caller holds the lock.
func (c *Control) closeSession(s *session) {
	if c.sessions[s.key] == s {
		delete(c.sessions, s.key)
		if c.sessionCounts[s.owner.key]--; c.sessionCounts[s.owner.key] == 0 {
			delete(c.sessionCounts, s.owner.key)
		}
	}
}

// removeEnded closes sessions with a closed connection, and idle ones. The caller holds the lock.
func (c *Control) removeEnded(st *settings) {
	now := time.Now()
	for _, s := range c.sessions {
		if s.key.Gone() || s.listens == 0 && s.idleTime(now) >= st.Idle {
			c.closeSession(s)
		}
	}
}

// evictIdle closes the session with the longest idle time of at least Options.Idle. An owner with
// open sessions replaces only its own. The caller holds the lock.
func (c *Control) evictIdle(st *settings, by owner) bool {
	ownAlone := by.limited && c.sessionCounts[by.key] > 0
	now := time.Now()
	var silent *session
	for _, s := range c.sessions {
		if ownAlone && s.owner.key != by.key {
			continue
		}
		if s.idleTime(now) >= st.Idle && (silent == nil || s.last.Before(silent.last)) {
			silent = s
		}
	}
	if silent == nil {
		return false
	}
	c.closeSession(silent)
	return true
}

func isListen(req *protocol.Request) bool { return req.Method == "subscriptions/listen" }
