package ratelimit

import "time"

// requestLog is a ring buffer with the times of allowed requests, in order. It covers the last
// hour, or the last minute if there is no hourly limit. Each time is added once, leaves the minute
// once and is removed once, so the cost of a request is constant.
type requestLog struct {
	ring   []int64 // nanoseconds
	first  int     // index of the oldest
	size   int
	recent int // number of times within the last minute
	hourly bool
}

// at returns the i-th time, the oldest first.
func (g *requestLog) at(i int) int64 {
	if i += g.first; i >= len(g.ring) {
		i -= len(g.ring)
	}
	return g.ring[i]
}

// expire removes the times that have left their windows.
func (g *requestLog) expire(now int64) {
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

// isEmpty reports whether no request is in a window.
func (g *requestLog) isEmpty(now int64) bool {
	g.expire(now)
	return g.size == 0
}

// count returns the number of requests in a window.
func (g *requestLog) count(now, window int64) int {
	g.expire(now)
	if window == int64(time.Minute) {
		return g.recent
	}
	return g.size
}

// wait returns the time until a window holds fewer than limit requests.
func (g *requestLog) wait(now int64, limit int, window int64) time.Duration {
	if limit <= 0 {
		return 0
	}
	over := g.count(now, window) - limit
	if over < 0 {
		return 0
	}
	// After this request has left the window, limit−1 requests remain.
	last := g.at(g.size - limit)
	return time.Duration(last + window - now)
}

// left returns the number of further requests that are allowed now.
func (g *requestLog) left(now int64, limits Limits) Quota {
	q := Quota{-1, -1}
	if limits.PerMinute > 0 {
		q.Minute = max(limits.PerMinute-g.count(now, int64(time.Minute)), 0)
	}
	if limits.PerHour > 0 {
		q.Hour = max(limits.PerHour-g.count(now, int64(time.Hour)), 0)
	}
	return q
}

// add records a request.
func (g *requestLog) add(now int64, limits Limits) {
	g.hourly = limits.PerHour > 0
	g.expire(now)
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

// grow doubles the capacity. The memory is released when the key is removed.
func (g *requestLog) grow() {
	ring := make([]int64, max(2*len(g.ring), 8))
	for i := range g.size {
		ring[i] = g.at(i)
	}
	g.ring, g.first = ring, 0
}
