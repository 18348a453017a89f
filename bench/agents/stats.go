package main

import (
	"fmt"
	"slices"
	"time"
)

// delays are measured durations.
type delays []time.Duration

// at returns the percentile for part, which is between 0 and 1.
func (d delays) at(part float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// cells returns number, median, 95th percentile and maximum as table cells.
func (d delays) cells() string {
	return fmt.Sprintf("%d | %s | %s | %s", len(d), ms(d.at(0.5)), ms(d.at(0.95)), ms(d.at(1)))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func mb(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
