package fs

import (
	"errors"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

// compileGlob makes a glob of a pattern. starts are the names of the start of the walk.
func compileGlob(pattern string, starts ...string) (*glob.Glob, error) {
	g, err := glob.Compile(pattern, starts...)
	return g, badPattern(err)
}

// compileGlobs makes globs of patterns.
func compileGlobs(patterns []string, starts ...string) (glob.List, error) {
	list, err := glob.CompileList(patterns, starts...)
	return list, badPattern(err)
}

func badPattern(err error) error {
	if bad, ok := errors.AsType[*glob.Error](err); ok {
		return invalid(bad.Next, "%s", bad.Message)
	}
	return err
}

// placeOf is the end of what earlier answers have, by their cursor; empty without one.
func placeOf(q cursor.Question, cursor string) (string, error) {
	place, ok := q.Place(cursor)
	if !ok {
		return "", badCursor()
	}
	return place, nil
}

func badCursor() error {
	return &mcp.ToolError{Code: codeInvalidCursor, Message: "the cursor does not belong to these arguments",
		Next: "repeat path, pattern and the other arguments of the call that the cursor is from, or call without a cursor"}
}
