package schema

import (
	"fmt"

	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// trail is the way from the root to the place that is being worked on, for the
// errors that name it.
type trail []leg

type leg struct {
	text string
	kind legKind
}

type legKind uint8

const (
	bySuffix legKind = iota // "[]" or ".*"
	byName                  // of a property
	byField                 // Go's name
)

func (t *trail) push(kind legKind, text string) {
	if *t == nil {
		*t = make(trail, 0, 8)
	}
	*t = append(*t, leg{text, kind})
}
func (t *trail) pop() { *t = (*t)[:len(*t)-1] }

// String is the path, empty at the root.
func (t trail) String() string {
	path := ""
	for _, l := range t {
		switch {
		case l.kind == byName:
			path = phrase.Member(path, l.text)
		case l.kind == byField && path != "":
			path += "." + l.text
		default:
			path += l.text
		}
	}
	return path
}

// errorf is an error about the place.
func (t trail) errorf(format string, args ...any) error {
	return pathError(t.String(), format, args...)
}

func pathError(path, format string, args ...any) error {
	if path == "" {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("%s: "+format, append([]any{path}, args...)...)
}
