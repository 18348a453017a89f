package schema

import (
	"fmt"

	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// schemaPath is the path from the root to the current subschema or type, for errors.
type schemaPath []pathStep

// pathStep is one step of a schemaPath.
type pathStep struct {
	text string
	kind pathStepKind
}

// pathStepKind is the kind of a step.
type pathStepKind uint8

const (
	bySuffix pathStepKind = iota // "[]" or ".*"
	byName                       // name of a property
	byField                      // name of a Go field
)

// push appends a step.
func (t *schemaPath) push(kind pathStepKind, text string) {
	if *t == nil {
		*t = make(schemaPath, 0, 8)
	}
	*t = append(*t, pathStep{text, kind})
}

// pop removes the last step.
func (t *schemaPath) pop() { *t = (*t)[:len(*t)-1] }

// String returns the path; empty at the root.
func (t schemaPath) String() string {
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

// errorf returns an error with the path.
func (t schemaPath) errorf(format string, args ...any) error {
	return pathError(t.String(), format, args...)
}

// pathError returns an error with a path before its message.
func pathError(path, format string, args ...any) error {
	if path == "" {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("%s: "+format, append([]any{path}, args...)...)
}
