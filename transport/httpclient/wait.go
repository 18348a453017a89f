package httpclient

import (
	"math/rand/v2"
	"time"
)

const (
	// clientFailures is how many times in a row a stream may come back with nothing new.
	clientFailures = 10
	// clientPolls is how many times in a row it may come back with nothing new
	// when the server has asked for that (2025-11-25, basic/transports,
	// "retry"); otherwise that counts as a failure.
	clientPolls = 1000
	// clientRetry is how long to wait before a stream is asked for again, unless
	// the server says.
	clientRetry = time.Second
	// clientAway is how long after the end of a request's stream a server may be away
	// until the request is lost.
	clientAway = 2500 * time.Millisecond
	// clientAgain is the pause after the first failure to get the rest of a stream; it
	// doubles with each.
	clientAgain = 250 * time.Millisecond
	// clientBackoff is the longest wait that the client chooses itself.
	clientBackoff = time.Minute
)

// hopeless reports whether a stream is not asked for again.
func (cur *clientCursor) hopeless() bool {
	return cur.failed >= clientFailures || cur.empty >= clientPolls || cur.retry == 0 && cur.empty >= clientFailures
}

// wait is how long to wait before a stream is asked for again: as long as the
// server wants, and longer if it could not be had.
func (cur *clientCursor) wait() time.Duration {
	switch failures := max(cur.failed, cur.empty); {
	case cur.retry > 0 && cur.failed == 0:
		return cur.retry
	case failures > 0:
		return max(cur.retry, backoff(failures-1))
	}
	return clientRetry
}

// backoff is a growing time with some chance in it, so that clients that failed
// together do not come back together.
func backoff(failures int) time.Duration {
	d := min(time.Second<<min(failures, 10), clientBackoff*2/3)
	return d + rand.N(d/2)
}
