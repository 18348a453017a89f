package ratelimit_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/security/ratelimit"
)

// naive keeps every moment at which a request was allowed.
type naive map[string][]time.Time

func (n naive) within(key string, now time.Time, window time.Duration) (count int) {
	for _, at := range n[key] {
		if now.Sub(at) < window {
			count++
		}
	}
	return count
}

func (n naive) allows(now time.Time, d ratelimit.Demand[string]) bool {
	return (d.Limits.PerMinute <= 0 || n.within(d.Key, now, time.Minute) < d.Limits.PerMinute) &&
		(d.Limits.PerHour <= 0 || n.within(d.Key, now, time.Hour) < d.Limits.PerHour)
}

func (n naive) left(now time.Time, d ratelimit.Demand[string]) ratelimit.Quota {
	q := ratelimit.Quota{Minute: -1, Hour: -1}
	if d.Limits.PerMinute > 0 {
		q.Minute = max(d.Limits.PerMinute-n.within(d.Key, now, time.Minute), 0)
	}
	if d.Limits.PerHour > 0 {
		q.Hour = max(d.Limits.PerHour-n.within(d.Key, now, time.Hour), 0)
	}
	return q
}

// The limiter decides like a reference model that stores all requests, and its wait times are exact
// to the nanosecond.
func TestLimiter_ReferenceModel(t *testing.T) {
	pauses := []time.Duration{0, 1, time.Millisecond, time.Second, 20 * time.Second, time.Minute - 1, time.Minute, 10 * time.Minute, time.Hour - time.Minute, time.Hour - 1, time.Hour}
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			limits := []ratelimit.Limits{
				{PerMinute: 1 + random.IntN(4), PerHour: 1 + random.IntN(12)}, {PerMinute: 1 + random.IntN(4)}, {PerHour: 1 + random.IntN(30)}, {},
			}
			demand := func(i int) ratelimit.Demand[string] {
				return ratelimit.Demand[string]{Key: strconv.Itoa(i), Limits: limits[i]}
			}
			var limiter ratelimit.Limiter[string]
			model := naive{}
			for step := range 400 {
				switch {
				case random.IntN(3) == 0:
					time.Sleep(pauses[random.IntN(len(pauses))])
				case random.IntN(100) == 0: // changed settings
					limits[0] = ratelimit.Limits{PerMinute: 1 + random.IntN(4), PerHour: 1 + random.IntN(12)}
				}
				demands := []ratelimit.Demand[string]{demand(random.IntN(len(limits)))}
				if other := demand(random.IntN(len(limits))); other.Key != demands[0].Key {
					demands = append(demands, other)
				}
				check(t, step, &limiter, model, demands)
			}
		})
	}
}

// check asks both for one request.
func check(t *testing.T, step int, limiter *ratelimit.Limiter[string], model naive, demands []ratelimit.Demand[string]) {
	t.Helper()
	now, want := time.Now(), true
	for _, d := range demands {
		want = want && model.allows(now, d)
	}
	look, got := limiter.Peek(demands...), limiter.Allow(demands...)
	if want {
		for _, d := range demands {
			model[d.Key] = append(model[d.Key], now)
		}
	}
	if got.Allowed != want || look.Allowed != want {
		t.Fatalf("step %d: %+v is %+v, at a look %+v; want %v", step, demands, got, look, want)
	}
	if left := model.left(now, demands[0]); got.Left != left {
		t.Fatalf("step %d: %+v leaves %+v, want %+v", step, demands, got.Left, left)
	}
	if want {
		return
	}
	if got.RetryAfter <= 0 || got != look || model.allows(now, demands[got.Demand]) {
		t.Fatalf("step %d: refused as %+v, at a look %+v", step, got, look)
	}
	for wait, allowed := range map[time.Duration]bool{got.RetryAfter - 1: false, got.RetryAfter: true} {
		then := true
		for _, d := range demands {
			then = then && model.allows(now.Add(wait), d)
		}
		if then != allowed {
			t.Fatalf("step %d: after %v it is allowed: %v, though %+v", step, wait, then, got)
		}
	}
}

// Of many at once exactly as many get through as may.
func TestLimiter_Concurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limiter ratelimit.Limiter[string]
		a := ratelimit.Demand[string]{Key: "a", Limits: ratelimit.Limits{PerMinute: 120, PerHour: 200}}
		b := ratelimit.Demand[string]{Key: "b", Limits: ratelimit.Limits{PerMinute: 5}}
		round := func(demands ...ratelimit.Demand[string]) (allowed int64) {
			var count atomic.Int64
			var all sync.WaitGroup
			for range 500 {
				all.Go(func() {
					if limiter.Allow(demands...).Allowed {
						count.Add(1)
					}
				})
			}
			all.Wait()
			return count.Load()
		}
		for i, step := range []struct {
			wait    time.Duration
			demands []ratelimit.Demand[string]
			want    int64
		}{
			{0, []ratelimit.Demand[string]{a, b}, 5}, // a refusal by b uses no quota of a
			{0, []ratelimit.Demand[string]{a}, 115},
			{time.Minute - 1, []ratelimit.Demand[string]{a}, 0},
			{1, []ratelimit.Demand[string]{a}, 80},
			{time.Minute, []ratelimit.Demand[string]{b, a}, 0},
			{0, []ratelimit.Demand[string]{b}, 5}, // and the other way round
			{time.Hour - 2*time.Minute, []ratelimit.Demand[string]{a}, 120},
			{time.Minute, []ratelimit.Demand[string]{a}, 80},
		} {
			time.Sleep(step.wait)
			if got := round(step.demands...); got != step.want {
				t.Errorf("step %d: %d were allowed, want %d", i, got, step.want)
			}
		}
	})
}

// The number of keys is limited, and expired keys use no memory.
func TestLimiter_MaxKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.Limiter[string]{MaxKeys: 10}
		limits := ratelimit.Limits{PerMinute: 1, PerHour: 100}
		allow := func(key string) bool {
			return limiter.Allow(ratelimit.Demand[string]{Key: key, Limits: limits}).Allowed
		}
		for i := range 1000 {
			if !allow(fmt.Sprint("k", i)) {
				t.Fatalf("the %d-th key is refused", i)
			}
		}
		if got := limiter.Keys(); got != 10 || allow("k999") || !allow("k0") {
			t.Errorf("%d keys; those that came last are not those that are remembered", got)
		}
		time.Sleep(time.Minute)
		if got := limiter.Keys(); got != 10 {
			t.Errorf("%d keys after a minute", got)
		}
		time.Sleep(time.Hour)
		if got := limiter.Keys(); got != 0 || !allow("k999") {
			t.Errorf("%d keys after an hour", got)
		}
		for i := range 100 { // without limits nothing is remembered
			limiter.Allow(ratelimit.Demand[string]{Key: fmt.Sprint("n", i)})
		}
		if got := limiter.Keys(); got != 1 {
			t.Errorf("%d keys, most of which have no limits", got)
		}
	})
}

func TestLimiter_Allocations(t *testing.T) {
	var limiter ratelimit.Limiter[string]
	limits := ratelimit.Limits{PerMinute: 10, PerHour: 20}
	if got := testing.AllocsPerRun(1000, func() {
		limiter.Allow(ratelimit.Demand[string]{Key: "a", Limits: limits}, ratelimit.Demand[string]{Key: "b", Limits: limits})
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkAllow(b *testing.B) {
	var limiter ratelimit.Limiter[string]
	b.ReportAllocs()
	for b.Loop() {
		limiter.Allow(ratelimit.Demand[string]{Key: "a", Limits: ratelimit.Limits{PerMinute: 120, PerHour: 3600}})
	}
}

func ExampleLimiter() {
	var limiter ratelimit.Limiter[string] // by client
	ask := func() ratelimit.Decision {
		return limiter.Allow(ratelimit.Demand[string]{Key: "editor", Limits: ratelimit.Limits{PerMinute: 2, PerHour: 3600}})
	}
	fmt.Println(ask().Left)
	fmt.Println(ask().Left)
	refused := ask()
	fmt.Println(refused.Allowed, "until the", refused.Window, "is over:", refused.RetryAfter.Round(time.Minute))
	// Output:
	// {1 3599}
	// {0 3598}
	// false until the minute is over: 1m0s
}
