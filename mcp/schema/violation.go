package schema

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// Violation is one thing that is wrong with a value.
type Violation struct {
	Path    string // where, such as "edits[2].text"; empty for the value as a whole
	Message string // what, in one short line that starts in lower case
}

// String is the violation in one line.
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// ValidationError is a value that its schema refuses. It lists every violation,
// in the order in which they stand in the value, up to a limit of 20: a model
// that reads it can mend all of them in its next attempt.
type ValidationError struct {
	Violations []Violation
	result     bool
}

// Error is one line for each violation.
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

// ErrorCode is the stable code of the error: INVALID_PARAMS from
// [Schema.Prepare], INVALID_RESULT from [Schema.Check].
func (e *ValidationError) ErrorCode() string {
	if e.result {
		return "INVALID_RESULT"
	}
	return "INVALID_PARAMS"
}

// NextStep tells a model what to do about the error.
func (e *ValidationError) NextStep() string {
	if e.result {
		return "The result is malformed; do not rely on it."
	}
	return "Correct what is listed and call again."
}

// maxViolations keeps an answer to a hopeless value short.
const maxViolations = 20

var errUnreadable = errors.New("cannot be read")

// finding is a violation that is not located yet: hot code notes an offset, and
// only a refusal pays for its path.
type finding struct {
	at      int    // start of the value, or of the object that name belongs to
	name    string // of a member that is not there
	message string
}

func (f finding) locate(data []byte) Violation {
	path := pathAt(data, f.at)
	if f.name != "" {
		path = phrase.Member(path, f.name)
	}
	return Violation{Path: path, Message: phrase.OneLine(f.message)}
}

// pathAt is the path of the value that starts at the given offset. The input
// up to there is well formed; what follows may be anything.
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

// step is one level of a path: a name, or an index when name is nil.
type step struct {
	name  []byte // with its quotes
	index int
}

// stepTowards finds the child of the container at data[at] in which offset lies.
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
