package unity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

const (
	pageSize   = 500  // entries of one answer; Unity gives no more
	maxEntries = 5000 // of the console that are looked at
	maxMessage = 4000 // bytes of one message
	maxStack   = 8000 // bytes of one stack trace
)

// entry is one of the console.
type entry struct {
	Type    string // "error", "warning", "log", "exception", "assert"
	Message string
	Stack   string
	place   location
	code    string // of the compiler, or the type of an exception
	// compiled says that it is a message of the compiler.
	compiled bool
}

// location is where an entry leads to; path is empty if that is nowhere in the project.
type location struct {
	path         string
	line, column int
}

// console reads entries of the console, the oldest first. more says that there are more than maxEntries.
func (u *Unity) console(ctx context.Context, e bridge.Editor, types []string, filter string) (all []entry, more bool, err error) {
	for cursor := 0; ; {
		params := map[string]any{
			"action": "get", "types": types, "format": "json", "includeStacktrace": true, "pageSize": pageSize, "cursor": cursor,
		}
		if filter != "" {
			params["filterText"] = filter
		}
		answer, err := u.call(ctx, e, "read_console", params, true)
		if err != nil {
			return nil, false, err
		}
		if !answer.Success {
			return nil, false, &failure{answer}
		}
		page, next, err := entriesOf(answer.Data, e.Project)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page...)
		switch {
		case next <= cursor:
			return all, false, nil
		case len(all) >= maxEntries || next >= maxEntries:
			return all, true, nil
		}
		cursor = next
	}
}

var errConsole = errors.New("the console entries of Unity are not understood")

// entriesOf decodes a page of the console. Packages before version 8 answer all entries in a plain list. next is 0 after the last page.
func entriesOf(data json.RawMessage, project string) (all []entry, next int, err error) {
	type item struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		File    string `json:"file"`
		Line    int    `json:"line"`
		Stack   string `json:"stackTrace"`
	}
	var page struct {
		Next  *string `json:"nextCursor"`
		Items []item  `json:"items"`
	}
	if json.Unmarshal(data, &page.Items) != nil {
		if err := json.Unmarshal(data, &page); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", errConsole, err)
		}
	}
	if page.Next != nil {
		if next, err = strconv.Atoi(*page.Next); err != nil {
			return nil, 0, fmt.Errorf("%w: its cursor is %.20q", errConsole, *page.Next)
		}
	}
	for _, i := range page.Items[:min(len(page.Items), maxEntries)] {
		all = append(all, parseEntry(i.Type, i.Message, i.Stack, i.File, i.Line, project))
	}
	return all, next, nil
}

var (
	// compilerMessage matches messages of the compiler, for example "Assets/A.cs(12,34): error CS0103: The name 'x' does not
	// exist in the current context".
	compilerMessage = regexp.MustCompile(`^([^\r\n(]+)\((\d{1,9}),(\d{1,9})\): (error|warning|info) ([A-Z]+[0-9]+): `)
	// unityFrame is a line of a stack trace in Unity's own form, "A:Start () (at Assets/A.cs:12)".
	unityFrame = regexp.MustCompile(`\(at ([^()\r\n]+?):(\d{1,9})\)`)
	// monoFrame is one in the form of .NET, "at A.Start () [0x00001] in /p/Assets/A.cs:12" or "… in C:\p\A.cs:line 12".
	monoFrame = regexp.MustCompile(` in ([^\r\n]+?\.cs):(?:line )?(\d{1,9})\b`)
	// exceptionName is how the message of an exception begins.
	exceptionName = regexp.MustCompile(`^([A-Za-z_][\w.]*(?:Exception|Error)): `)
)

// parseEntry parses a console entry: its type, code and position.
func parseEntry(kind, message, stack, file string, line int, project string) entry {
	e := entry{Type: strings.ToLower(truncate.Line(kind, 20)), Message: truncate.Cut(message, maxMessage), Stack: truncate.Cut(stack, maxStack)}
	if m := compilerMessage.FindStringSubmatch(message); m != nil {
		e.compiled, e.code, e.Type = true, m[5], m[4]
		e.place = location{inProject(m[1], project), number(m[2]), number(m[3])}
		return e
	}
	if m := exceptionName.FindStringSubmatch(message); m != nil {
		e.code = m[1]
	}
	if e.place = locationIn(stack, project); e.place.path == "" {
		e.place = locationIn(message, project)
	}
	if path := inProject(file, project); e.place.path == "" && path != "" && line > 0 {
		e.place = location{path, line, 1}
	}
	return e
}

// locationIn is the first frame of a stack trace that is code of the project.
func locationIn(text, project string) location {
	for row := range strings.Lines(text) {
		for _, form := range []*regexp.Regexp{unityFrame, monoFrame} {
			if m := form.FindStringSubmatch(row); m != nil {
				if path := inProject(m[1], project); path != "" && number(m[2]) > 0 {
					return location{path, number(m[2]), 1}
				}
			}
		}
	}
	return location{}
}

// inProject is the path of a script that Unity has named; empty if it is none of the project's own. Copies of packages are not.
func inProject(name, project string) string {
	path := filepath.FromSlash(strings.ReplaceAll(strings.TrimSpace(name), "\\", "/"))
	if !isScript(path) {
		return ""
	}
	// On Windows a path with a leading slash is neither absolute nor below the project.
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, string(filepath.Separator)) {
		path = filepath.Join(project, path)
	}
	path = filepath.Clean(path)
	if !presence.IsPath(path) || !presence.Within(project, path) || presence.Within(filepath.Join(project, "Library"), path) {
		return ""
	}
	return path
}

// number is one that a pattern has found.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// severity is that of an entry.
func (e *entry) severity() adapter.Severity {
	switch e.Type {
	case "warning":
		return adapter.Warning
	case "log", "info":
		return adapter.Info
	}
	return adapter.Error
}

// text returns the message without the position and code, which are fields of their own.
func (e *entry) text() string {
	if m := compilerMessage.FindString(e.Message); m != "" {
		return e.Message[len(m):]
	}
	return e.Message
}
