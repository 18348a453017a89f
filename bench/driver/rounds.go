package driver

import (
	"slices"
	"time"
)

// Median returns the median of at least one time.
func Median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// Ratio returns the median of the ratios a/b of at least one round.
func Ratio(a, b []time.Duration) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = float64(a[i]) / float64(b[i])
	}
	return slices.Sorted(slices.Values(ratios))[len(ratios)/2]
}
