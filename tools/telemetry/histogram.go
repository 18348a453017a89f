package telemetry

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// histogramBits is the number of bits kept after the highest bit of a duration: 16 buckets per
	// power of two. A bucket is at most 1/16 as wide as its durations, so its middle is at most
	// 1/32 (3.2 %) off.
	histogramBits = 4
	// histogramTop is the exponent of the lower limit of the last bucket: 2⁴³ ns, almost two and a
	// half hours.
	histogramTop = 43
	buckets      = (histogramTop-histogramBits+1)<<histogramBits + 1
)

// histogram counts durations in bounded memory. Recording takes no lock.
type histogram struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Int64 // nanoseconds; wraps around after 292 years of work
	max    atomic.Int64
}

// bucketOf returns the bucket of a duration in nanoseconds. Durations below 32 ns have a bucket for
// each nanosecond.
func bucketOf(ns int64) int {
	n := uint64(max(ns, 0))
	top := bits.Len64(n) - 1 // index of the highest bit
	if top >= histogramTop {
		return buckets - 1
	}
	if top <= histogramBits {
		return int(n)
	}
	shift := top - histogramBits
	return shift<<histogramBits + int(n>>shift)
}

// bucketMiddle returns the middle of a bucket, in nanoseconds.
func bucketMiddle(bucket int) float64 {
	if bucket < 2<<histogramBits {
		return float64(bucket)
	}
	shift := bucket>>histogramBits - 1
	low := uint64(bucket-shift<<histogramBits) << shift
	return float64(low) + float64(uint64(1)<<shift-1)/2
}

// record adds one duration.
func (h *histogram) record(d time.Duration) {
	h.counts[bucketOf(int64(d))].Add(1)
	h.sum.Add(int64(d))
	for {
		old := h.max.Load()
		if int64(d) <= old || h.max.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// durations is a copy of the counts of one or more histograms.
type durations struct {
	counts [buckets]uint64
	n      uint64
	sum    int64
	max    int64
}

// add adds the counts of h.
func (s *durations) add(h *histogram) {
	for i := range h.counts {
		c := h.counts[i].Load()
		s.counts[i] += c
		s.n += c
	}
	s.sum += h.sum.Load()
	s.max = max(s.max, h.max.Load())
}

// quantile returns the smallest bucket middle, in nanoseconds, that at least the fraction q of the
// durations does not exceed. The result is at most the maximum.
func (s *durations) quantile(q float64) float64 {
	rank := max(uint64(math.Ceil(q*float64(s.n))), 1)
	for i, seen := 0, uint64(0); i < buckets; i++ {
		if seen += s.counts[i]; seen >= rank {
			if i == buckets-1 {
				return float64(s.max)
			}
			return min(bucketMiddle(i), float64(s.max))
		}
	}
	return float64(s.max)
}

// latency returns quantiles, maximum and mean in milliseconds.
func (s *durations) latency() Latency {
	if s.n == 0 {
		return Latency{}
	}
	return Latency{
		P50: millis(s.quantile(0.50)), P95: millis(s.quantile(0.95)), P99: millis(s.quantile(0.99)),
		Max: millis(float64(s.max)), Mean: millis(float64(s.sum) / float64(s.n)),
	}
}

// millis converts nanoseconds to milliseconds, rounded to the microsecond.
func millis(ns float64) float64 { return math.Round(ns/1_000) / 1_000 }
