package github

import (
	"context"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// mostMade is how many issues are remembered by their keys, and madeFor for how
	// long: until the lists of GitHub have them for certain.
	mostMade = 128
	madeFor  = 10 * time.Minute
)

// flights make one issue of calls with the same key, however many there are at
// once. An issue is made apart from the call that asked for it: when that ends
// early, what was sent is seen through.
type flights struct {
	mu     sync.Mutex
	flying map[string]*flight
	made   map[string]landed
}

type landed struct {
	created plugin.Created
	at      time.Time
}

// flight is an issue that is being made.
type flight struct {
	done    chan struct{}
	created plugin.Created
	err     error

	// The following are guarded by flights.mu.
	waiting int  // calls
	sent    bool // nobody can call it back
	cancel  context.CancelFunc
}

// join finds the flight of a key, or begins one with start; the answer is there at
// once if the issue was made a moment ago.
func (f *flights) join(key string, start func(*flight)) (*flight, *plugin.Created) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if before, ok := f.made[key]; ok && time.Since(before.at) < madeFor {
		return nil, &before.created
	}
	one := f.flying[key]
	if one == nil {
		if f.flying == nil {
			f.flying = make(map[string]*flight)
		}
		one = &flight{done: make(chan struct{})}
		f.flying[key] = one
		start(one)
	}
	one.waiting++
	return one, nil
}

// leave is for a call that waits no more. It reports whether the issue may be made
// all the same.
func (f *flights) leave(key string, one *flight) (sent bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.waiting--; one.waiting == 0 && !one.sent {
		one.cancel()
		f.forget(key, one) // who wants it next begins anew
		return false
	}
	return true
}

// send reports whether the issue is still wanted; from then on it is made.
func (f *flights) send(one *flight) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.sent = one.waiting > 0
	return one.sent
}

// land ends a flight.
func (f *flights) land(key string, one *flight, created plugin.Created, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.created, one.err = created, err
	one.cancel()
	f.forget(key, one)
	if err == nil && created.Issue != nil {
		f.remember(key, created)
	}
	close(one.done)
}

func (f *flights) forget(key string, one *flight) {
	if f.flying[key] == one {
		delete(f.flying, key)
	}
}

func (f *flights) remember(key string, created plugin.Created) {
	if f.made == nil {
		f.made = make(map[string]landed)
	}
	if len(f.made) >= mostMade {
		oldest := ""
		for k, l := range f.made {
			if oldest == "" || l.at.Before(f.made[oldest].at) {
				oldest = k
			}
		}
		delete(f.made, oldest)
	}
	f.made[key] = landed{created, time.Now()}
}

// answerOf is what one of several calls is told; existing says that another one has
// made the issue.
func answerOf(c plugin.Created, existing bool) plugin.Created {
	if c.Issue != nil {
		issue := *c.Issue
		c.Issue, c.Existing = &issue, existing
	}
	return c
}
