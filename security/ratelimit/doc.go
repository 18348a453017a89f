// Package ratelimit limits requests in exact sliding windows of a minute and an hour.
// [Limiter.Allow] counts a request for one or more keys and returns a [Decision] with the time to
// wait. In any minute or hour, at most the limit of requests is allowed. State is in memory, in one
// process: for each key the times of the allowed requests of the last hour, in a ring buffer. The
// cost of a request does not depend on the limits, because each time is added and removed once.
package ratelimit
