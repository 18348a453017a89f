package driver

import (
	"slices"
	"time"
)

// Median is the median of times, of which there is one at least.
func Median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// Ratio is the median of the ratios of rounds, of which there is one at least:
// how many times as long as b a took.
func Ratio(a, b []time.Duration) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = float64(a[i]) / float64(b[i])
	}
	return slices.Sorted(slices.Values(ratios))[len(ratios)/2]
}
