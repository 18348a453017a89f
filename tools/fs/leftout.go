package fs

import (
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// LeftOut counts entries that a list or a search has not looked at, without the entries in them. Each entry is counted once.
type LeftOut struct {
	// Hidden entries have names that begin with a dot.
	Hidden int `json:"hidden,omitempty"`
	// Ignored entries match .gitignore.
	Ignored int `json:"ignored,omitempty"`
	// Withheld entries are never shown: the rules of the Root hide them, or they are .git, backups or the trash.
	Withheld int `json:"withheld,omitempty"`
	// Unusable entries have names that no call accepts: they hold control characters or invisible ones, are not UTF-8, or only Windows
	// refuses them.
	Unusable int `json:"unusable,omitempty"`
}

// leftOut takes the counts of a walk, of which the caller's own patterns have left out some.
func leftOut(stats security.WalkStats, byPattern int) LeftOut {
	return LeftOut{Hidden: stats.Hidden, Ignored: stats.Skipped - stats.Hidden - byPattern, Withheld: stats.Withheld, Unusable: stats.Unusable}
}

// text is "; 2 hidden; 1 ignored", or "" if nothing was left out.
func (l LeftOut) text() string {
	var b strings.Builder
	for _, some := range []struct {
		n    int
		what string
	}{{l.Hidden, " hidden"}, {l.Ignored, " ignored"}, {l.Withheld, " withheld by rules"}, {l.Unusable, " with an unusable name"}} {
		if some.n > 0 {
			b.WriteString("; " + strconv.Itoa(some.n) + some.what)
		}
	}
	return b.String()
}

// advice names the entries that a search without a result has not looked at, and how to look there.
func (l LeftOut) advice() string {
	both := func(one int, first string, other int, second, then string) string {
		var parts []string
		if one > 0 {
			parts = append(parts, strconv.Itoa(one)+first)
		}
		if other > 0 {
			parts = append(parts, strconv.Itoa(other)+second)
		}
		if len(parts) == 0 {
			return ""
		}
		return "; " + strings.Join(parts, " and ") + then
	}
	return both(l.Ignored, " ignored", l.Hidden, " hidden", " were left out: includeIgnored=true looks at them, too") +
		both(l.Withheld, " withheld by rules", l.Unusable, " with an unusable name", " cannot be looked at")
}
