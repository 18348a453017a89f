// Package retryafter reads when a server wants to be asked again.
package retryafter

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// maxSeconds is the upper limit of a parsed delay; longer delays are clamped to it.
const maxSeconds = 1e6 // seconds

// After returns the delay of the header Retry-After (RFC 9110, 10.2.3): a number of seconds, which may have a
// fraction, or the time until a date. It returns false without a valid header.
func After(h http.Header) (time.Duration, bool) {
	said := h.Get("Retry-After")
	if n, err := strconv.ParseFloat(said, 64); err == nil && n >= 0 {
		return Seconds(n), true
	}
	if at, err := http.ParseTime(said); err == nil {
		return max(0, at.Sub(Clock(h))), true
	}
	return 0, false
}

// Seconds converts a number of seconds to a duration, rounded up to milliseconds. NaN and negative numbers are 0.
func Seconds(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(min(n, maxSeconds)*1000)) * time.Millisecond
}

// Clock returns the time of a response by the clock of its server, from the header Date, or the local time without
// one.
func Clock(h http.Header) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}
