// Package parallel does several things at once, but not too many.
package parallel

import (
	"errors"

	"github.com/dougu-go/dougu/internal/group"
)

// Each does something for every number below n, at most so many at once, and
// answers all errors.
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
