package fs

import (
	"errors"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/glob"
)

// compileGlob compiles a glob. starts are the spellings of the start directory, with which a pattern may begin.
func compileGlob(pattern string, starts ...string) (*glob.Glob, error) {
	g, err := glob.Compile(pattern, starts...)
	return g, badPattern(err)
}

// compileGlobs compiles several globs, as compileGlob does.
func compileGlobs(patterns []string, starts ...string) (glob.List, error) {
	list, err := glob.CompileList(patterns, starts...)
	return list, badPattern(err)
}

// badPattern turns an error of package glob into an INVALID_PARAMS error.
func badPattern(err error) error {
	if bad, ok := errors.AsType[*glob.Error](err); ok {
		return invalid(bad.Next, "%s", bad.Message)
	}
	return err
}

// cursorPosition returns the position that a cursor holds: the end of the earlier answers. It returns "" for an empty cursor, and an
// error for a cursor of another call.
func cursorPosition(q cursor.ListID, cursor string) (string, error) {
	place, ok := q.Position(cursor)
	if !ok {
		return "", badCursor()
	}
	return place, nil
}

// badCursor returns the INVALID_CURSOR error.
func badCursor() error {
	return &mcp.ToolError{Code: codeInvalidCursor, Message: "the cursor does not belong to these arguments",
		Next: "repeat path, pattern and the other arguments of the call that the cursor is from, or call without a cursor"}
}
