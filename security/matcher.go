package security

import (
	"errors"
	"path"
	"strings"

	"github.com/dougu-go/dougu/security/internal/pattern"
)

// Matcher matches paths with patterns of the form of [RootOptions].Protected, as a Root does. It is safe for concurrent use.
type Matcher struct{ patterns pattern.List }

// NewMatcher reports malformed patterns by their text.
func NewMatcher(sources []string) (*Matcher, error) {
	list, faults := compilePatterns(sources)
	return &Matcher{list}, errors.Join(faults...)
}

// Match reports whether an entry matches, by its path relative to a directory of the project, with slashes. It does not look at the
// directories above the entry.
func (m *Matcher) Match(rel string) bool {
	dir, name := path.Split(pattern.Fold(rel))
	return m.patterns.MatchEntry(strings.TrimSuffix(dir, "/"), name)
}

// compilePatterns reports every malformed pattern by its text.
func compilePatterns(sources []string) (pattern.List, []error) {
	list, malformed := pattern.Compile(sources)
	var faults []error
	for _, source := range malformed {
		faults = append(faults, invalid("Write it as a glob with *, ?, [a-z], {a,b} and **, with slashes, such as *.pem or .ssh/**.", "The pattern %s is malformed.", quote(source)))
	}
	return list, faults
}
