package main

import (
	"math"
	"testing"
)

func TestBootstrap(t *testing.T) {
	t.Parallel()
	var better, same []float64
	for i := range 60 {
		better = append(better, 0.1+0.2*math.Sin(float64(i)))
		same = append(same, 0.3*math.Sin(float64(i)))
	}
	for _, c := range []struct {
		name        string
		values      []float64
		significant bool
	}{
		{"Better", better, true}, {"Same", same, false}, {"None", nil, false}, {"Zero", make([]float64, 9), false},
		{"Worse", []float64{-1, -1, -2, -1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := bootstrap(c.values)
			if got.significant() != c.significant || got.low > got.mean || got.mean > got.high || got.p <= 0 || got.p > 1 {
				t.Errorf("got %+v, significant %v", got, got.significant())
			}
			if again := bootstrap(c.values); again != got {
				t.Errorf("the second result is %+v, the first %+v", again, got)
			}
		})
	}
}
