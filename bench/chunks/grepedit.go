package main

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// grepEdit solves tasks as agents do without tools for functions: it searches lines, reads ranges of lines and replaces a text. Its
// answers are as short as answers of such tools can be, so that it is a floor.
type grepEdit struct {
	repository *repository
	kinds      *[kindCount]cost // by kindOf
}

const (
	maxMatches = 100 // lines that a search returns
	maxLine    = 200 // bytes of a line that a search returns
	readLines  = 60  // lines that are read at once
)

// match is a line that a search returns.
type match struct {
	file string
	line int
}

// solve searches the declaration of the function, reads on from it until the text of the task, and replaces that. lines selects the
// old text of the task instead of the shortest one that is unique in the file.
func (g *grepEdit) solve(t task, lines bool) error {
	declares := map[string]string{".go": "func ", ".swift": "func ", ".kt": "fun ", ".ts": "(function|const) "}[path.Ext(t.file)]
	file, pattern := "", "(?i)"+declares+".*"+t.query
	if t.exact {
		switch path.Ext(t.file) {
		case ".go", ".kt": // a receiver may precede the name
			declares += `.*\b`
		}
		pattern = declares + t.query + `\b`
	}
	if t.listed || t.within {
		file = t.file
	}
	matches, err := g.grep(pattern, file)
	if err != nil {
		return err
	}
	line := 0
	for _, m := range matches {
		if m.file == t.file && m.line <= t.line {
			line = max(line, m.line)
		}
	}
	if line == 0 {
		return fmt.Errorf("%q shows no line before %d of %s", pattern, t.line, t.file)
	}
	src := strings.Split(t.src, "\n")
	last := t.line + strings.Count(strings.TrimSuffix(t.old, "\n"), "\n")
	for ; line <= last; line += readLines {
		var text strings.Builder
		for n := line; n < line+readLines && n <= len(src); n++ {
			fmt.Fprintf(&text, "%d\t%s\n", n, src[n-1])
		}
		g.count("read", map[string]any{"path": t.file, "offset": line, "limit": readLines}, text.Len())
	}
	was, now := t.old, t.new
	if !lines {
		was, now = shortestEdit(t.src, was, now)
	}
	g.count("edit", map[string]any{"path": t.file, "old": was, "new": now}, len("ok"))
	return nil
}

// grep searches the lines of a file, or of all files.
func (g *grepEdit) grep(pattern, within string) ([]match, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"pattern": pattern}
	if within != "" {
		args["path"] = within
	}
	var found []match
	var text strings.Builder
	for _, file := range g.repository.files {
		if within != "" && file != within {
			continue
		}
		src, err := g.repository.read(file)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(src, "\n") {
			if len(found) < maxMatches && re.MatchString(line) {
				found = append(found, match{file, i + 1})
				fmt.Fprintf(&text, "%s:%d:%s\n", file, i+1, line[:min(len(line), maxLine)])
			}
		}
	}
	g.count("grep", args, text.Len())
	return found, nil
}

// count adds a call to the cost.
func (g *grepEdit) count(tool string, args map[string]any, read int) {
	written, _ := json.Marshal(args)
	g.kinds[kindOf(tool)].add(cost{calls: 1, text: read, written: len(tool) + len(written)})
}
