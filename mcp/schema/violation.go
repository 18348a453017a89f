package schema

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// Violation is one problem of a value.
type Violation struct {
	Path    string // Path is the position, for example "edits[2].text"; empty for the whole value.
	Message string // Message is one short line that starts in lower case.
}

// String returns path and message in one line.
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// ValidationError is the error of a value that its schema refuses. It lists the violations in the
// order of the value, at most 20, so that a model can fix all of them in its next attempt.
type ValidationError struct {
	Violations []Violation // Violations has at least one element.
	result     bool        // the value is a result, otherwise arguments
}

// Error returns one line for each violation.
func (e *ValidationError) Error() string {
	var b strings.Builder
	for i, v := range e.Violations {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(v.String())
	}
	return b.String()
}

// ErrorCode returns the stable code of the error: INVALID_PARAMS from [Schema.Prepare],
// INVALID_RESULT from [Schema.Check].
func (e *ValidationError) ErrorCode() string {
	if e.result {
		return "INVALID_RESULT"
	}
	return "INVALID_PARAMS"
}

// NextStep returns the next step for a model.
func (e *ValidationError) NextStep() string {
	if e.result {
		return "The result is malformed; do not rely on it."
	}
	return "Correct the listed members and call again."
}

// maxViolations limits the violations of a ValidationError.
const maxViolations = 20

// errUnreadable is the error of a type whose decoding panics.
var errUnreadable = errors.New("cannot be read")

// finding is a violation with an offset. Its path is computed only for the error, since the check
// of valid values must be fast.
type finding struct {
	at      int    // offset of the value, or of the object with the missing member
	name    string // name of a missing member
	message string
}

// locate returns the violation with its path in data.
func (f finding) locate(data []byte) Violation {
	path := pathAt(data, f.at)
	if f.name != "" {
		path = phrase.Member(path, f.name)
	}
	return Violation{Path: path, Message: phrase.OneLine(f.message)}
}

// pathAt returns the path of the value at an offset. The data must be valid up to the offset.
func pathAt(data []byte, offset int) string {
	path := ""
	at := jsonx.Space(data, 0)
	for at < offset {
		next, step := stepTowards(data, at, offset)
		if next < 0 {
			break
		}
		at, path = next, joinStep(path, step)
	}
	return path
}

// step is one level of a path: a name, or an index if name is nil.
type step struct {
	name  []byte // token with quotes
	index int
}

// stepTowards returns the child of the container at data[at] that contains offset.
func stepTowards(data []byte, at, offset int) (next int, s step) {
	inObject := data[at] == '{'
	for i := at + 1; ; s.index++ {
		i = jsonx.Space(data, i)
		if i > offset || i >= len(data) {
			return -1, s
		}
		if inObject {
			end, _, err := jsonx.String(data, i)
			if err != nil {
				return -1, s
			}
			s.name = data[i:end]
			i = jsonx.Space(data, jsonx.Space(data, end)+1)
		}
		end, _, err := jsonx.Skip(data, i)
		if err != nil || offset < end {
			return i, s
		}
		i = jsonx.Space(data, end) + 1
	}
}

// joinStep appends a step to a path.
func joinStep(path string, s step) string {
	if s.name == nil {
		return path + "[" + strconv.Itoa(s.index) + "]"
	}
	name, err := jsonx.Unquote(s.name)
	if err != nil {
		name = string(s.name)
	}
	return phrase.Member(path, name)
}
