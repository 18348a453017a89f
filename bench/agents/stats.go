package main

import (
	"fmt"
	"slices"
	"time"
)

// delays are measured times.
type delays []time.Duration

// at is the time that such a part of them do not exceed.
func (d delays) at(part float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// cells are number, median, 95th percentile and the greatest, for a table.
func (d delays) cells() string {
	return fmt.Sprintf("%d | %s | %s | %s", len(d), ms(d.at(0.5)), ms(d.at(0.95)), ms(d.at(1)))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func mb(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
