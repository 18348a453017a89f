package ratelimit

import (
	"container/list"
	"sync"
	"time"
)

// defaultKeys is how many keys a Limiter remembers unless it says otherwise.
const defaultKeys = 4096

// Limits are how many requests are allowed. 0 or less is no limit.
type Limits struct {
	PerMinute, PerHour int
}

// Demand is one count that a request is to be taken from.
type Demand[K comparable] struct {
	Key    K
	Limits Limits
}

// Limiter counts the requests of keys. The zero value is ready, and is for use by
// several goroutines at once. It holds nothing that must be released.
//
// What is counted of a key takes at most 16 bytes for each request that its limit
// allows: 58 kB for 3600 an hour. A key of which nothing counts any more is
// forgotten when others come.
type Limiter[K comparable] struct {
	// MaxKeys bounds how many keys are remembered; it must not be changed once the
	// Limiter is used. The one that was allowed nothing for the longest time makes
	// room for another, and has all of its quota again. Default 4096.
	MaxKeys int

	mu     sync.Mutex
	began  time.Time
	counts map[K]*list.Element
	order  list.List // of *count[K]; the one that was taken from last is first
}

// count is what is counted of a key.
type count[K comparable] struct {
	key K
	log log
}

// Window is a time in which requests are counted.
type Window string

// The windows.
const (
	Minute Window = "minute"
	Hour   Window = "hour"
)

// Quota is how many more requests are allowed at this moment; -1 where there is
// no limit.
type Quota struct {
	Minute int `json:"minute"`
	Hour   int `json:"hour"`
}

// Decision is the answer to a request.
type Decision struct {
	Allowed bool
	// Left is the quota of the first demand, after this request.
	Left Quota
	// Demand is the index of the demand that is refused, and Window the limit of
	// it that is reached; of several, those that last longest.
	Demand int
	Window Window
	// RetryAfter is how long it takes until the request would be allowed if nobody
	// else asked; 0 when it was.
	RetryAfter time.Duration
}

// Allow takes one request from all the counts, or from none when one of them does
// not allow it. No two demands may have the same key.
func (l *Limiter[K]) Allow(demands ...Demand[K]) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	d := l.judge(now, demands)
	if !d.Allowed {
		return d
	}
	for i := range demands {
		if limits := demands[i].Limits; limits.counts() {
			log := l.open(demands[i].Key)
			log.add(now, limits)
			if i == 0 {
				d.Left = log.left(now, limits)
			}
		}
	}
	return d
}

// Look is what Allow would answer, and takes nothing.
func (l *Limiter[K]) Look(demands ...Demand[K]) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.judge(l.now(), demands)
}

// Keys is how many keys are remembered.
func (l *Limiter[K]) Keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(l.now(), len(l.counts))
	return len(l.counts)
}

// now is the time since the limiter was first used, which does not jump when the
// clock is set.
func (l *Limiter[K]) now() int64 {
	if l.began.IsZero() {
		l.began = time.Now()
	}
	return int64(time.Since(l.began))
}

// judge decides about a request; the lock is held.
func (l *Limiter[K]) judge(now int64, demands []Demand[K]) Decision {
	d := Decision{Allowed: true, Left: Quota{-1, -1}}
	var empty log
	for i := range demands {
		limits := demands[i].Limits
		log := &empty
		if at, ok := l.counts[demands[i].Key]; ok {
			log = &at.Value.(*count[K]).log
		}
		if i == 0 {
			d.Left = log.left(now, limits)
		}
		for _, w := range [...]struct {
			window Window
			wait   time.Duration
		}{{Minute, log.wait(now, limits.PerMinute, int64(time.Minute))}, {Hour, log.wait(now, limits.PerHour, int64(time.Hour))}} {
			if w.wait > d.RetryAfter {
				d.Allowed, d.Demand, d.Window, d.RetryAfter = false, i, w.window, w.wait
			}
		}
	}
	return d
}

// open finds the log of a key that is taken from, or begins one; the lock is held.
func (l *Limiter[K]) open(key K) *log {
	if at, ok := l.counts[key]; ok {
		l.order.MoveToFront(at)
		return &at.Value.(*count[K]).log
	}
	most := l.MaxKeys
	if most <= 0 {
		most = defaultKeys
	}
	l.forget(l.now(), 2) // more than come: in the end all that can be forgotten are
	for len(l.counts) >= most {
		l.drop(l.order.Back())
	}
	if l.counts == nil {
		l.counts = make(map[K]*list.Element)
	}
	one := &count[K]{key: key}
	l.counts[key] = l.order.PushFront(one)
	return &one.log
}

// forget drops at most n keys of which nothing counts any more; the lock is held.
func (l *Limiter[K]) forget(now int64, n int) {
	for at := l.order.Back(); at != nil && n > 0 && at.Value.(*count[K]).log.over(now); at, n = l.order.Back(), n-1 {
		l.drop(at)
	}
}

func (l *Limiter[K]) drop(at *list.Element) {
	delete(l.counts, at.Value.(*count[K]).key)
	l.order.Remove(at)
}

// counts reports whether there is anything to count.
func (l Limits) counts() bool { return l.PerMinute > 0 || l.PerHour > 0 }
