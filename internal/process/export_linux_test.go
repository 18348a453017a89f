package process

import "time"

// SetStartPatience bounds the time from an order to a supervisor until its answer. It returns a function that takes that back.
func SetStartPatience(d time.Duration) (restore func()) {
	set := func(d time.Duration) {
		supervisors.mu.Lock()
		defer supervisors.mu.Unlock()
		supervisors.patience = d
	}
	set(d)
	return func() { set(0) }
}
