package process

import (
	"os"
	"slices"
	"strings"
)

// Variable is the environment variable that marks the descendants of a child: the
// marks of all programs of this kind above it, from the outermost on.
const Variable = "DOUGU_PROCESS"

// maxMark bounds the value of the variable, in bytes; the outermost marks are left
// out first.
const maxMark = 1 << 10

// mark appends marks to the marks of this process and puts them into an environment.
func mark(env []string, marks ...string) []string {
	value := os.Getenv(Variable)
	for _, m := range marks {
		if m != "" {
			value = strings.TrimPrefix(value+":"+m, ":")
		}
	}
	if len(value) > maxMark {
		value = value[len(value)-maxMark:]
	}
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, Variable+"=") })
	return append(env, Variable+"="+value)
}
