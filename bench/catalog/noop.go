package catalog

import "fmt"

// Noop is a tool that is listed and never called.
type Noop struct {
	Name        string
	Description string
	Shape       Shape
}

// Shape selects the argument type of a Noop.
type Shape int

// Shapes, one for each of the argument types below.
const (
	Read Shape = iota
	Find
	Run
	Edit
	shapes
)

// named is the number of tools of a server that are not a Noop.
const named = 3

// Noops returns the tools that extend a server's list to total tools, sorted by name. The list includes small, search and size. It
// is an error if total is less than 3 or more than 102.
func Noops(total int) ([]Noop, error) {
	n := total - named
	if n < 0 || n > 99 {
		return nil, fmt.Errorf("a server has %d to %d tools, not %d", named, named+99, total)
	}
	tools := make([]Noop, n)
	for i := range tools {
		shape := Shape(i) % shapes
		tools[i] = Noop{
			Name:        fmt.Sprintf("noop_%02d", i+1),
			Description: purposes[shape],
			Shape:       shape,
		}
	}
	return tools, nil
}

var purposes = [shapes]string{
	Read: "Reads a part of a text file. Long files come in pieces: ask again from the line after the last one.",
	Find: "Finds declarations by name in the files of one language. Names may be written with * for any letters.",
	Run:  "Runs a command in a directory of the project and returns what it printed when it ended in time.",
	Edit: "Replaces a text in a file with another one. The old text must be there exactly once.",
}

// ReadArgs are the arguments of a Noop of shape Read.
type ReadArgs struct {
	Path     string `json:"path" jsonschema:"The file to read, relative to the project"`
	Encoding string `json:"encoding" jsonschema:"The encoding of the file, utf-8 unless told otherwise"`
	Offset   int    `json:"offset" jsonschema:"The first line to return, from 1"`
	Limit    int    `json:"limit" jsonschema:"How many lines to return at most"`
}

// FindArgs are the arguments of a Noop of shape Find.
type FindArgs struct {
	Query      string `json:"query" jsonschema:"The name to look for"`
	Language   string `json:"language" jsonschema:"The language to look in, all of them when empty"`
	MaxResults int    `json:"maxResults" jsonschema:"How many declarations to return at most"`
}

// RunArgs are the arguments of a Noop of shape Run.
type RunArgs struct {
	Command   string   `json:"command" jsonschema:"The command line to run"`
	Directory string   `json:"directory" jsonschema:"Where to run it, relative to the project"`
	TimeoutMs int      `json:"timeoutMs" jsonschema:"How long it may take, in milliseconds"`
	Env       []string `json:"env" jsonschema:"Variables to set, each as NAME=value"`
}

// EditArgs are the arguments of a Noop of shape Edit.
type EditArgs struct {
	Path    string `json:"path" jsonschema:"The file to change, relative to the project"`
	OldText string `json:"oldText" jsonschema:"The text to replace"`
	NewText string `json:"newText" jsonschema:"The text to put in its place"`
	DryRun  bool   `json:"dryRun" jsonschema:"Whether only to say what would change"`
}

// NoopResult is the result of every Noop.
type NoopResult struct {
	OK bool `json:"ok" jsonschema:"Whether it was done"`
}
