//go:build !linux

package process

import "iter"

// Ancestors are the environments of the processes that this one descends from; only
// Linux knows any.
func Ancestors() iter.Seq[[]string] { return func(func([]string) bool) {} }
