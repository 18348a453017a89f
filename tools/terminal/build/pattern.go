package build

import (
	"regexp"
	"sync"
)

// pattern is an expression that is compiled when it is first used: together they
// would take a sixth of the start of a program that never builds anything.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
