package chunking

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/source"
)

// Error codes of this package. Package security defines further ones.
const (
	codeChunkNotFound  = "CHUNK_NOT_FOUND"
	codeAmbiguousChunk = "AMBIGUOUS_CHUNK"
	codeStaleChunk     = "STALE_CHUNK"
	codeNotSource      = "NOT_SOURCE"
	codeDoesNotParse   = "DOES_NOT_PARSE"
	codeNotAnalyzed    = "NOT_ANALYZED"
	codeSymbolInUse    = "SYMBOL_IN_USE"
	codeInvalidCursor  = "INVALID_CURSOR"
)

func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid returns an INVALID_PARAMS error.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// notSource explains why a file has no chunks.
func notSource(path string, languages []source.Language, err error) error {
	const whole = "Read it as a whole with a tool for files."
	switch {
	case errors.Is(err, source.ErrLanguage):
		next := whole + " If it is written in one of " + source.LanguageNames(languages) + ", give that as language."
		if ext := filepath.Ext(path); ext != "" {
			return problem(codeNotSource, next, "%s is not readable here: no parser reads %s files", quote(path), quote(ext))
		}
		return problem(codeNotSource, next, "%s is not readable here: its name and its beginning tell no language that a parser reads", quote(path))
	case errors.Is(err, source.ErrTooLong), errors.Is(err, source.ErrBinary), errors.Is(err, source.ErrTooComplex):
		return problem(codeNotSource, whole, "%s is not parsed: %v", quote(path), err)
	case errors.Is(err, source.ErrBusy):
		return problem(string(security.Timeout), "Call again, or read it as a whole with a tool for files.", "%s is not parsed: %v", quote(path), err)
	}
	return err
}

func badPattern(err error) error {
	if bad, ok := errors.AsType[*glob.Error](err); ok {
		return invalid(bad.Next, "%s", bad.Message)
	}
	return err
}

// quote quotes a string of a caller or file for a message, at most 300 bytes of it.
func quote(s string) string { return truncate.Quote(s, 300) }
