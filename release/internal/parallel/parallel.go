// Package parallel runs a limited number of functions concurrently.
package parallel

import (
	"errors"

	"github.com/dougu-go/dougu/internal/group"
)

// Each calls do for every number below n, at most most concurrently, and returns all errors.
func Each(n, most int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var workers group.Group
	for range min(n, most) {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return errors.Join(errs...)
}
