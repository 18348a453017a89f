package fs

import (
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// LeftOut counts the entries that a list or a search did not visit. It does not count the entries below a directory that was
// left out. Each entry is counted once.
type LeftOut struct {
	// Hidden counts entries whose names begin with a dot.
	Hidden int `json:"hidden,omitempty"`
	// Ignored counts entries that .gitignore excludes.
	Ignored int `json:"ignored,omitempty"`
	// Withheld counts blocked entries, and .git, backups and the trash.
	Withheld int `json:"withheld,omitempty"`
	// Unusable counts entries whose names no call accepts: names with control characters or invisible characters, names that
	// are not UTF-8, and on Windows names that the system refuses.
	Unusable int `json:"unusable,omitempty"`
}

// leftOut returns the counts of a walk. byPattern entries were left out by the patterns of the caller and are not reported as
// ignored.
func leftOut(stats security.WalkStats, byPattern int) LeftOut {
	return LeftOut{Hidden: stats.Hidden, Ignored: stats.Skipped - stats.Hidden - byPattern, Withheld: stats.Withheld, Unusable: stats.Unusable}
}

// text returns the counts for the first line of an answer, for example "; 2 hidden; 1 ignored". It is empty if nothing was left
// out.
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

// includeAdvice describes the entries that a search without a result did not visit, and the argument that includes them.
func (l LeftOut) includeAdvice() string {
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
