package main

import (
	"math/rand/v2"
	"slices"
)

// Parameters of the bootstrap. The seed makes its results reproducible.
const (
	resamples     = 10_000
	bootstrapSeed = 2027
)

// interval is the result of a bootstrap over queries.
type interval struct {
	mean, low, high float64 // the mean and its 95 % confidence interval
	p               float64 // two-sided probability of such a mean if the true one is 0
}

// significant reports whether the mean is above 0 at the level of 5 %.
func (i interval) significant() bool { return i.mean > 0 && i.p < 0.05 }

// bootstrap returns the interval of the mean of some values. Differences of two systems for the same queries make it a paired
// bootstrap.
func bootstrap(values []float64) interval {
	if len(values) == 0 {
		return interval{p: 1}
	}
	random := rand.New(rand.NewPCG(bootstrapSeed, uint64(len(values))))
	means := make([]float64, resamples)
	below, above := 0, 0
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
		if means[i] <= 0 {
			below++
		}
		if means[i] >= 0 {
			above++
		}
	}
	slices.Sort(means)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return interval{
		mean: sum / float64(len(values)),
		low:  means[resamples*25/1000],
		high: means[resamples*975/1000-1],
		p:    min(1, 2*float64(min(below, above)+1)/(resamples+1)),
	}
}
