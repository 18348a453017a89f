package retryafter_test

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/retryafter"
)

func TestAfter(t *testing.T) {
	const never = -1
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		date := func(d time.Duration) string { return now.Add(d).UTC().Format(http.TimeFormat) }
		for _, tc := range []struct {
			said, date string
			want       time.Duration
		}{
			{"", "", never},
			{"soon", "", never},
			{"-5", "", never},
			{"NaN", "", never},
			{"0", "", 0},
			{"7", "", 7 * time.Second},
			{"0.5", "", 500 * time.Millisecond},
			{"1e300", "", 1e6 * time.Second},
			{date(time.Minute), "", time.Minute},
			{date(-time.Minute), "", 0},
			{date(time.Minute), date(50 * time.Second), 10 * time.Second}, // by the clock of a server that is behind
		} {
			h := http.Header{"Retry-After": {tc.said}, "Date": {tc.date}}
			got, ok := retryafter.After(h)
			if ok != (tc.want != never) || ok && got != tc.want {
				t.Errorf("%q at %q: %v, %v; want %v", tc.said, tc.date, got, ok, tc.want)
			}
		}
	})
}

func TestSeconds(t *testing.T) {
	for n, want := range map[float64]time.Duration{0.0001: time.Millisecond, -1: 0, math.NaN(): 0, math.Inf(1): 1e6 * time.Second} {
		if got := retryafter.Seconds(n); got != want {
			t.Errorf("%v: %v, want %v", n, got, want)
		}
	}
}
