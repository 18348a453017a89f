package ratelimit

import (
	"container/list"
	"sync"
	"time"
)

// defaultKeys is the default of Limiter.MaxKeys.
const defaultKeys = 4096

// Limits are the maximum numbers of requests in a minute and in an hour. 0 or less means no limit.
type Limits struct {
	PerMinute, PerHour int
}

// Demand is one counter that a request uses, with its limits.
type Demand[K comparable] struct {
	Key    K
	Limits Limits
}

// Limiter counts requests by key. The zero value is ready to use. It is safe for concurrent use and
// needs no Close.
//
// A key keeps 8 bytes for each request in its window, in a buffer of at most twice that size. For
// 3600 requests an hour that is at most 58 kB. Keys without requests in their windows are removed
// when other keys are added.
type Limiter[K comparable] struct {
	// MaxKeys limits the number of keys. Do not change it after the first use. Above the limit, a
	// new key replaces the least recently used key: the key whose latest allowed request is the
	// oldest. The replaced key has its full quota again. Default 4096.
	MaxKeys int

	mu     sync.Mutex // guards the fields below
	began  time.Time  // the first use; times are nanoseconds since then
	counts map[K]*list.Element
	order  list.List // of *count[K]; the most recently allowed key is first
}

// count is the state of one key.
type count[K comparable] struct {
	key K
	log requestLog // the times of its allowed requests, in a ring buffer
}

// Window is a period in which requests are counted.
type Window string

// Sliding windows.
const (
	Minute Window = "minute"
	Hour   Window = "hour"
)

// Quota is the number of further requests that are allowed now; -1 means no limit.
type Quota struct {
	Minute int `json:"minute"`
	Hour   int `json:"hour"`
}

// Decision is the result of Allow.
type Decision struct {
	// Allowed reports whether all demands allow the request.
	Allowed bool
	// Left is the quota of the first demand, after this request.
	Left Quota
	// Demand is the index of the refusing demand, and Window its exceeded limit; of several, the
	// one with the longest wait. They are set only if Allowed is false.
	Demand int
	Window Window
	// RetryAfter is the time after which the request is allowed if there are no other requests; 0
	// if Allowed is true.
	RetryAfter time.Duration
}

// Allow counts one request in all demands, or in none if one of them refuses it. The keys of the
// demands must differ.
func (l *Limiter[K]) Allow(demands ...Demand[K]) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	d := l.evaluate(now, demands)
	if !d.Allowed {
		return d
	}
	for i := range demands {
		if limits := demands[i].Limits; limits.isLimited() {
			log := l.findLog(demands[i].Key)
			log.add(now, limits)
			if i == 0 {
				d.Left = log.left(now, limits)
			}
		}
	}
	return d
}

// Peek returns the result of Allow without counting a request.
func (l *Limiter[K]) Peek(demands ...Demand[K]) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.evaluate(l.now(), demands)
}

// Keys returns the number of keys in memory. It first removes the keys without requests in their
// windows, from the least recently used one up to the first key that still has requests.
func (l *Limiter[K]) Keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removeExpired(l.now(), len(l.counts))
	return len(l.counts)
}

// now returns the monotonic time since the first use, in nanoseconds.
func (l *Limiter[K]) now() int64 {
	if l.began.IsZero() {
		l.began = time.Now()
	}
	return int64(time.Since(l.began))
}

// evaluate decides on a request. The caller holds the lock.
func (l *Limiter[K]) evaluate(now int64, demands []Demand[K]) Decision {
	d := Decision{Allowed: true, Left: Quota{-1, -1}}
	var empty requestLog
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

// findLog returns the log of a key for a new request, and creates it if necessary. The caller holds
// the lock.
func (l *Limiter[K]) findLog(key K) *requestLog {
	if at, ok := l.counts[key]; ok {
		l.order.MoveToFront(at)
		return &at.Value.(*count[K]).log
	}
	most := l.MaxKeys
	if most <= 0 {
		most = defaultKeys
	}
	l.removeExpired(l.now(), 2) // two for each new key, so that all expired keys are removed in time
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

// removeExpired removes at most n keys without requests in their windows, from the least recently
// used one on. It stops at the first key that still has requests. The caller holds the lock.
func (l *Limiter[K]) removeExpired(now int64, n int) {
	for at := l.order.Back(); at != nil && n > 0 && at.Value.(*count[K]).log.isEmpty(now); at, n = l.order.Back(), n-1 {
		l.drop(at)
	}
}

func (l *Limiter[K]) drop(at *list.Element) {
	delete(l.counts, at.Value.(*count[K]).key)
	l.order.Remove(at)
}

// isLimited reports whether there is a limit.
func (l Limits) isLimited() bool { return l.PerMinute > 0 || l.PerHour > 0 }
