// Package retryafter reads when a server wants to be asked again.
package retryafter

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// longest is what a longer time is taken for.
const longest = 1e6 // seconds

// After is how long a server asks to be left alone with Retry-After (RFC 9110,
// 10.2.3), in seconds, of which there may be parts, or until a date. The answer is
// false if it does not say so.
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

// Seconds are so many, to the next millisecond. What is no number, or below 0, is 0.
func Seconds(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(min(n, longest)*1000)) * time.Millisecond
}

// Clock is the time when an answer was made, by the clock of its server if it tells:
// dates in it are by the same.
func Clock(h http.Header) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}
