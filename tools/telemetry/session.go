package telemetry

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	sessionShards = 32
	// shardSessions is the number of sessions per shard. A further session replaces the longest
	// inactive one.
	shardSessions = 128
	// maxClients is the number of clients that are counted by name.
	maxClients = 64
)

// session is one session of a client.
type session struct {
	client *clientCount
	last   atomic.Int64 // time of the last call, in nanoseconds since the start of the Recorder
	tracks atomic.Bool  // whether the session has tracked usage
}

// sessions holds the remembered sessions, in shards with a lock each.
type sessions struct {
	keys   caller.Keys
	total  atomic.Int64
	shards [sessionShards]struct {
		mu sync.Mutex
		m  map[caller.Key]*session
	}
	clients clients
}

// activate returns the session of a call, creates it if necessary, and sets the time of its last
// call.
func (s *sessions) activate(call *mcp.Invocation, now time.Duration) *session {
	var req *protocol.Request
	if call != nil {
		req = call.Request
	}
	key := s.keys.Of(req)
	shard := &s.shards[s.keys.Spread(key)%sessionShards]
	shard.mu.Lock()
	found := shard.m[key]
	shard.mu.Unlock()
	if found == nil {
		fresh := &session{client: s.clients.forCall(call)}
		shard.mu.Lock()
		defer shard.mu.Unlock()
		if found = shard.m[key]; found == nil {
			if shard.m == nil {
				shard.m = make(map[caller.Key]*session)
			}
			evictOldest(shard.m)
			found = fresh
			shard.m[key] = found
			s.total.Add(1)
		}
	}
	found.last.Store(int64(now))
	return found
}

// evictOldest removes the longest inactive session if the shard is full.
func evictOldest(m map[caller.Key]*session) {
	if len(m) < shardSessions {
		return
	}
	var oldest caller.Key
	var last int64 = -1
	for key, s := range m {
		if at := s.last.Load(); last < 0 || at < last {
			oldest, last = key, at
		}
	}
	delete(m, oldest)
}

// active returns the number of sessions with a call at or after since, which counts from the start
// of the Recorder.
func (s *sessions) active(since time.Duration) (n int64) {
	for i := range s.shards {
		shard := &s.shards[i]
		shard.mu.Lock()
		for _, one := range shard.m {
			if one.last.Load() >= int64(since) {
				n++
			}
		}
		shard.mu.Unlock()
	}
	return n
}

// clientName identifies a client in the statistics.
type clientName struct{ name, version, transport string }

type clientCount struct {
	clientName
	requests atomic.Int64
}

// clients maps clients to their number of calls.
type clients struct {
	mu sync.Mutex
	m  map[clientName]*clientCount
}

// forCall returns the counter of the client of a call. Clients over maxClients share one counter.
func (c *clients) forCall(call *mcp.Invocation) *clientCount {
	name := clientName{name: "in process"}
	if call != nil {
		client := call.Request.Meta.Client()
		name = clientName{cleanName(client.Name, maxLabel), cleanName(client.Version, maxLabel), cleanName(call.Request.Peer.Transport, maxLabel)}
	}
	if name.name == "" {
		name.name = unknownModel
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.m[name]; !known && len(c.m) >= maxClients {
		name = clientName{name: otherName}
	}
	if c.m == nil {
		c.m = make(map[clientName]*clientCount)
	}
	if c.m[name] == nil {
		c.m[name] = &clientCount{clientName: name}
	}
	return c.m[name]
}

func (c *clients) all() []*clientCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*clientCount, 0, len(c.m))
	for _, one := range c.m {
		all = append(all, one)
	}
	return all
}
