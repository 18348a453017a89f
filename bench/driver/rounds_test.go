package driver

import (
	"testing"
	"time"
)

func TestRounds_MedianAndRatio(t *testing.T) {
	a, b := []time.Duration{30, 10, 80}, []time.Duration{10, 10, 20}
	if got := Median(a); got != 30 {
		t.Errorf("the median is %d, want 30", got)
	}
	if got := Ratio(a, b); got != 3 {
		t.Errorf("the ratio is %v, want the median of 3, 1 and 4", got)
	}
	if a[0] != 30 || b[2] != 20 {
		t.Errorf("the rounds are in another order: %d, %d", a, b)
	}
}
