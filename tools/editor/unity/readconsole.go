package unity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/plural"
)

const (
	defaultCount = 50
)

// ReadConsoleArgs are the arguments of read_console.
type ReadConsoleArgs struct {
	// Types are the kinds of entries; errors, with exceptions and failed assertions, and warnings if none is named.
	Types []string `json:"types,omitempty" jsonschema:"enum=error,enum=warning,enum=log,maxItems=3,description=Default error and warning"`
	// Filter is a text that the messages contain, whatever the case.
	Filter string `json:"filter,omitempty" jsonschema:"maxLength=1000,description=Text of the message"`
	// Count is how many entries are answered at most: the newest.
	Count int `json:"count,omitempty" jsonschema:"minimum=1,maximum=500,default=50"`
	// Before is the NextBefore of a result and returns older entries.
	Before int `json:"before,omitempty" jsonschema:"minimum=0,description=nextBefore of the previous answer\\, for older entries"`
	// StackTraces adds stack traces.
	StackTraces bool `json:"stackTraces,omitempty"`
	// Project is the directory or name of a project, where Unity has several open.
	Project string `json:"project,omitempty" jsonschema:"description=Directory or name\\, if Unity has several open"`
}

// ConsoleEntry is an entry of the console.
type ConsoleEntry struct {
	Type    string `json:"type"` // error, warning, log, exception or assert
	Message string `json:"message"`
	Code    string `json:"code,omitempty"` // compiler code, for example CS0103, or type of an exception
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"` // of messages of the compiler
	Stack   string `json:"stackTrace,omitempty"`
}

// ReadConsoleResult is the result of read_console.
type ReadConsoleResult struct {
	Project string         `json:"project"`
	Entries []ConsoleEntry `json:"entries"` // the newest last
	Total   int            `json:"total"`   // that fit
	// NextBefore is the Before of a call for older entries; 0 if there are none.
	NextBefore int    `json:"nextBefore,omitempty"`
	Note       string `json:"note,omitempty"`
}

// ReadConsole is read_console.
func (t *Tools) ReadConsole(ctx context.Context, in ReadConsoleArgs) (ReadConsoleResult, error) {
	e, err := t.editor(ctx, in.Project)
	if err != nil {
		return ReadConsoleResult{}, err
	}
	types := in.Types
	if len(types) == 0 {
		types = []string{"error", "warning"}
	}
	if in.Count <= 0 {
		in.Count = defaultCount
	}
	entries, more, err := t.unity.console(ctx, e, types, in.Filter)
	if err != nil {
		return ReadConsoleResult{}, explain("reading the console", err)
	}
	r := ReadConsoleResult{Project: t.displayPath(e.Project), Entries: []ConsoleEntry{}, Total: len(entries)}
	if more {
		r.Note = fmt.Sprintf("The console has more entries; these are of the %d oldest. Narrow it down with filter or types.", len(entries))
	}
	end := len(entries)
	if in.Before > 0 {
		end = min(in.Before, end)
	}
	budget := t.limits.Answer
	first := end
	for ; first > 0 && len(r.Entries) < in.Count; first-- {
		one := t.listed(&entries[first-1], in.StackTraces)
		budget -= len(one.Message) + len(one.Stack) + len(one.Path) + 100
		if budget < 0 && len(r.Entries) > 0 {
			break
		}
		r.Entries = append(r.Entries, one)
	}
	slices.Reverse(r.Entries)
	r.NextBefore = first
	return r, nil
}

// listed is an entry as it is answered.
func (t *Tools) listed(e *entry, stack bool) ConsoleEntry {
	one := ConsoleEntry{Type: e.Type, Message: e.text(), Code: e.code}
	if e.place.path != "" {
		one.Path, one.Line = t.displayPath(e.place.path), e.place.line
		if e.compiled {
			one.Column = e.place.column
		}
	}
	if stack {
		one.Stack = e.Stack
	}
	return one
}

// TextContent returns the result as text for a model.
func (r ReadConsoleResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d of %s of the console of %s]\n", len(r.Entries), plural.Count(r.Total, "entry"), r.Project)
	for _, e := range r.Entries {
		b.WriteString(e.line())
		if e.Stack != "" {
			b.WriteString("  " + strings.ReplaceAll(strings.TrimSpace(e.Stack), "\n", "\n  ") + "\n")
		}
	}
	if r.NextBefore > 0 {
		fmt.Fprintf(&b, "[older: before=%d]\n", r.NextBefore)
	}
	if r.Note != "" {
		b.WriteString("[" + r.Note + "]\n")
	}
	return b.String()
}

// line is an entry in one line, or more if its message has more.
func (e ConsoleEntry) line() string {
	where := ""
	switch {
	case e.Path != "" && e.Column > 0:
		where = fmt.Sprintf("%s:%d:%d: ", e.Path, e.Line, e.Column)
	case e.Path != "":
		where = fmt.Sprintf("%s:%d: ", e.Path, e.Line)
	}
	kind := e.Type
	if e.Code != "" {
		kind += " " + e.Code
	}
	return fmt.Sprintf("%s%s: %s\n", where, kind, strings.TrimSpace(e.Message))
}
