package github

import (
	"context"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// maxRemembered limits the created issues that are remembered by their keys.
	maxRemembered = 128
	// rememberTime is the time for which they are remembered: until the lists of GitHub contain them.
	rememberTime = 10 * time.Minute
)

// creationGroup creates one issue for all concurrent calls with the same key. A creation runs independently of its calls: it is
// completed after it was sent.
type creationGroup struct {
	mu      sync.Mutex
	running map[string]*creation       // by key
	created map[string]rememberedIssue // recently created issues, by key
}

// rememberedIssue is an issue that was created recently.
type rememberedIssue struct {
	created plugin.Created
	at      time.Time
}

// creation is an issue that is being created.
type creation struct {
	done    chan struct{} // closed at the end; created and err are valid then
	created plugin.Created
	err     error

	// The mutex of the group guards the following fields.

	waiting int  // number of waiting calls
	sent    bool // whether the request was sent, so that it cannot be cancelled
	cancel  context.CancelFunc
}

// join returns the running creation of a key, or starts one with start. It returns the result at once if the issue was created
// recently.
func (f *creationGroup) join(key string, start func(*creation)) (*creation, *plugin.Created) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if before, ok := f.created[key]; ok && time.Since(before.at) < rememberTime {
		return nil, &before.created
	}
	one := f.running[key]
	if one == nil {
		if f.running == nil {
			f.running = make(map[string]*creation)
		}
		one = &creation{done: make(chan struct{})}
		f.running[key] = one
		start(one)
	}
	one.waiting++
	return one, nil
}

// leave removes a waiting call, and reports whether the issue may be created nevertheless. The last call cancels a creation
// that was not sent.
func (f *creationGroup) leave(key string, one *creation) (sent bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.waiting--; one.waiting == 0 && !one.sent {
		one.cancel()
		f.remove(key, one) // the next call starts a new creation
		return false
	}
	return true
}

// startSending reports whether a call still waits; from then on the creation cannot be cancelled.
func (f *creationGroup) startSending(one *creation) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.sent = one.waiting > 0
	return one.sent
}

// complete records the result and wakes the waiting calls.
func (f *creationGroup) complete(key string, one *creation, created plugin.Created, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.created, one.err = created, err
	one.cancel()
	f.remove(key, one)
	if err == nil && created.Issue != nil {
		f.remember(key, created)
	}
	close(one.done)
}

// remove removes a creation from the running ones.
func (f *creationGroup) remove(key string, one *creation) {
	if f.running[key] == one {
		delete(f.running, key)
	}
}

// remember records a created issue, and forgets the oldest one if there are too many.
func (f *creationGroup) remember(key string, created plugin.Created) {
	if f.created == nil {
		f.created = make(map[string]rememberedIssue)
	}
	if len(f.created) >= maxRemembered {
		oldest := ""
		for k, l := range f.created {
			if oldest == "" || l.at.Before(f.created[oldest].at) {
				oldest = k
			}
		}
		delete(f.created, oldest)
	}
	f.created[key] = rememberedIssue{created, time.Now()}
}

// resultFor returns a copy of c for one of several calls. existing means that another call created the issue.
func resultFor(c plugin.Created, existing bool) plugin.Created {
	if c.Issue != nil {
		issue := *c.Issue
		c.Issue, c.Existing = &issue, existing
	}
	return c
}
