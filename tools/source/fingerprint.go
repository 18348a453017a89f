package source

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Version is the version of the built-in parsers' output. It increases when a parser finds
// different declarations in the same text, so that stored results of earlier versions are
// discarded.
const Version = 2

// Fingerprint returns a string that changes when the result of parsing a language may change. It
// contains Version and the names of the parsers in order, each with its version if it has a method
// Version() string, and the syntax that a parser defines. Results with equal fingerprints are interchangeable.
func (p *Parsers) Fingerprint(lang Language) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(Version) + " " + string(lang))
	for _, one := range p.lang[lang] {
		b.WriteString(" " + one.Name())
		if versioned, ok := one.(interface{ Version() string }); ok {
			b.WriteString("@" + versioned.Version())
		}
	}
	if d, ok := p.definitions[lang]; ok {
		sum := fnv.New64a()
		fmt.Fprintf(sum, "%#v", d.Syntax)
		fmt.Fprintf(&b, " %x", sum.Sum64())
	}
	return b.String()
}
