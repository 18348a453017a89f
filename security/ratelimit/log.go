package ratelimit

import "time"

// log holds the times at which requests were allowed, in order, in a ring: those
// of the last hour, or of the last minute where nothing is counted longer. Each
// time is put in once, is passed by the minute once and taken out once, so that
// a request costs the same however many there were.
type log struct {
	ring   []int64 // nanoseconds
	first  int     // index of the oldest
	size   int
	recent int // how many of the newest are within the last minute
	hourly bool
}

// at is the i-th time, the oldest first.
func (g *log) at(i int) int64 {
	if i += g.first; i >= len(g.ring) {
		i -= len(g.ring)
	}
	return g.ring[i]
}

// settle forgets what counts no longer.
func (g *log) settle(now int64) {
	for g.recent > 0 && now-g.at(g.size-g.recent) >= int64(time.Minute) {
		g.recent--
	}
	for g.size > g.recent && (!g.hourly || now-g.at(0) >= int64(time.Hour)) {
		if g.first++; g.first == len(g.ring) {
			g.first = 0
		}
		g.size--
	}
}

// over reports whether nothing counts any more.
func (g *log) over(now int64) bool {
	g.settle(now)
	return g.size == 0
}

// within is how many requests a window holds now.
func (g *log) within(now, window int64) int {
	g.settle(now)
	if window == int64(time.Minute) {
		return g.recent
	}
	return g.size
}

// wait is how long it takes until a window holds fewer than limit.
func (g *log) wait(now int64, limit int, window int64) time.Duration {
	if limit <= 0 {
		return 0
	}
	over := g.within(now, window) - limit
	if over < 0 {
		return 0
	}
	// When this one has left the window, limit−1 are in it.
	last := g.at(g.size - limit)
	return time.Duration(last + window - now)
}

// left is how many more are allowed now.
func (g *log) left(now int64, limits Limits) Quota {
	q := Quota{-1, -1}
	if limits.PerMinute > 0 {
		q.Minute = max(limits.PerMinute-g.within(now, int64(time.Minute)), 0)
	}
	if limits.PerHour > 0 {
		q.Hour = max(limits.PerHour-g.within(now, int64(time.Hour)), 0)
	}
	return q
}

// add notes a request.
func (g *log) add(now int64, limits Limits) {
	g.hourly = limits.PerHour > 0
	g.settle(now)
	if g.size == len(g.ring) {
		g.grow()
	}
	i := g.first + g.size
	if i >= len(g.ring) {
		i -= len(g.ring)
	}
	g.ring[i] = now
	g.size++
	g.recent++
}

// grow makes room. What a busy hour has taken is given back when nothing of it
// counts any more.
func (g *log) grow() {
	ring := make([]int64, max(2*len(g.ring), 8))
	for i := range g.size {
		ring[i] = g.at(i)
	}
	g.ring, g.first = ring, 0
}
