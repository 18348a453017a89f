package source

import (
	"strconv"
	"strings"
)

// Version is raised when the built-in parsers find something else in the same
// text than before, so that what was kept of earlier readings is not used.
const Version = 2

// Fingerprint names what decides about the reading of a language: Version, and
// the parsers in their order, each with its version if it has a method
// Version() string. Two readings of one text are alike if their fingerprints are.
func (p *Parsers) Fingerprint(lang Language) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(Version) + " " + string(lang))
	for _, one := range p.lang[lang] {
		b.WriteString(" " + one.Name())
		if versioned, ok := one.(interface{ Version() string }); ok {
			b.WriteString("@" + versioned.Version())
		}
	}
	return b.String()
}
