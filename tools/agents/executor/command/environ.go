package command

import (
	"os"
	"slices"
	"strings"
)

// ownPrefix begins the variables that are this program's own.
const ownPrefix = "DOUGU_"

// environ is what every child gets; nil stands for what this process has. Secrets
// stay: an agent program is logged in by them.
func environ(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), ownPrefix) })
}
