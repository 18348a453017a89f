package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// grepEdit solves tasks as agents do with tools of their own: it searches lines, reads ranges and replaces texts. Its results are as
// short as results of such tools can be, so that it is a floor: an edit that succeeds answers two letters.
type grepEdit struct {
	dir        string
	definition string // see project.definition
	function   string // see project.function
	calls      log
}

// The limits of its tools.
const (
	maxMatches = 100 // lines that grep returns
	readLines  = 60  // lines that a script reads around a line
)

// grepEditTools are the definitions of its tools, without any text that is not needed to call them.
const grepEditTools = `[{"name":"grep","description":"Searches lines of files.","inputSchema":{"type":"object","properties":{"pattern":{"type":"string","description":"Regular expression"},"path":{"type":"string"}},"required":["pattern"]}},` +
	`{"name":"read","description":"Reads lines of a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","description":"First line"},"limit":{"type":"integer","description":"Number of lines"}},"required":["path"]}},` +
	`{"name":"edit","description":"Replaces a text that occurs once in a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean","description":"Replaces every occurrence"}},"required":["path","old","new"]}},` +
	`{"name":"ls","description":"Lists a directory.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]`

func (g *grepEdit) log() *log                 { return &g.calls }
func (g *grepEdit) close()                    {}
func (g *grepEdit) definitions() (int, error) { return len(grepEditTools), nil }

func (g *grepEdit) solve(t task) error {
	switch t.kind {
	case readFunction:
		return g.readNamed(t, t.evidence)
	case changeNamed:
		if err := g.readNamed(t, []string{t.before}); err != nil {
			return err
		}
		return g.edit(t, false)
	case listMembers:
		_, err := g.grep(g.definition, t.file)
		return err
	case findUses:
		_, err := g.grep(`\b`+t.name+`\b`, "")
		return err
	case findConcept:
		return g.explore(t)
	case changeAll:
		if _, err := g.grep(`\b`+t.name+`\b`, t.file); err != nil {
			return err
		}
		return g.edit(t, true)
	case changeLine:
		if err := g.read(t.file, max(t.line-10, 1), 20); err != nil {
			return err
		}
		return g.edit(t, false)
	case listFiles:
		return g.ls(t.name)
	}
	return fmt.Errorf("unknown kind %q", t.kind)
}

// readNamed finds the declaration of a function and reads on from it until the wanted texts have been read. The pattern is that of
// a declaration in the language of the project, which a model knows.
func (g *grepEdit) readNamed(t task, wanted []string) error {
	matches, err := g.grep(fmt.Sprintf(g.function, t.name), "")
	if err != nil {
		return err
	}
	declaration := regexp.MustCompile(g.definition)
	for _, m := range matches {
		if m.path == t.file && declaration.MatchString(m.text) {
			return g.readUntil(t.file, m.line, wanted)
		}
	}
	return fmt.Errorf("grep does not show the declaration of %s", t.name)
}

// readUntil reads from a line on, readLines at a time, until the wanted texts have been read.
func (g *grepEdit) readUntil(path string, line int, wanted []string) error {
	for range 4 {
		if err := g.read(path, line, readLines); err != nil {
			return err
		}
		if g.hasRead(wanted) {
			return nil
		}
		line += readLines
	}
	return fmt.Errorf("%s does not have %q within %d lines", path, wanted, 4*readLines)
}

// hasRead reports whether texts, of one line or of several, have been read with their line numbers.
func (g *grepEdit) hasRead(wanted []string) bool {
	for _, text := range wanted {
		for line := range strings.Lines(text) {
			if !strings.Contains(g.calls.text.String(), strings.TrimRight(line, "\n")) {
				return false
			}
		}
	}
	return true
}

// explore tries the patterns of a description, and reads around the first match in the file of the answer.
func (g *grepEdit) explore(t task) error {
	for _, pattern := range t.patterns {
		matches, err := g.grep(pattern, "")
		if err != nil {
			return err
		}
		for _, m := range matches {
			if m.path != t.file {
				continue
			}
			if g.calls.has(t.evidence) {
				return nil
			}
			if err := g.read(t.file, max(m.line-readLines/2, 1), readLines); err != nil {
				return err
			}
			if g.calls.has(t.evidence) {
				return nil
			}
			break
		}
	}
	return fmt.Errorf("no pattern leads to %q", t.evidence)
}

// match is a line that grep returns.
type match struct {
	path string
	line int
	text string
}

// grep searches a file, or all files. The result has the form of grep -n.
func (g *grepEdit) grep(pattern, path string) ([]match, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var matches []match
	search := func(name string) error {
		content, err := os.ReadFile(filepath.Join(g.dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(content)) {
			n++
			if line = strings.TrimRight(line, "\r\n"); re.MatchString(line) && len(matches) < maxMatches {
				matches = append(matches, match{name, n, line})
			}
		}
		return nil
	}
	args := map[string]any{"pattern": pattern}
	if path != "" {
		args["path"] = path
		err = search(path)
	} else {
		err = fs.WalkDir(os.DirFS(g.dir), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			return search(name)
		})
	}
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, m := range matches {
		if path == "" {
			b.WriteString(m.path + ":")
		}
		fmt.Fprintf(&b, "%d:%s\n", m.line, m.text)
	}
	return matches, g.calls.note("grep", args, b.String())
}

// read reads lines of a file. The result has line numbers.
func (g *grepEdit) read(path string, offset, limit int) error {
	content, err := os.ReadFile(filepath.Join(g.dir, filepath.FromSlash(path)))
	if err != nil {
		return err
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(string(content)) {
		if n++; n >= offset && n < offset+limit {
			fmt.Fprintf(&b, "%d\t%s", n, line)
		}
	}
	return g.calls.note("read", map[string]any{"path": path, "offset": offset, "limit": limit}, b.String())
}

// edit makes the change of a task.
func (g *grepEdit) edit(t task, all bool) error {
	name := filepath.Join(g.dir, filepath.FromSlash(t.file))
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	args := map[string]any{"path": t.file, "old": t.before, "new": t.after}
	if all {
		args["all"] = true
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(content), t.before, t.after)), 0o644); err != nil {
		return err
	}
	return g.calls.note("edit", args, "ok")
}

// ls lists a directory, one name a line.
func (g *grepEdit) ls(path string) error {
	entries, err := os.ReadDir(filepath.Join(g.dir, filepath.FromSlash(path)))
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Name() + "\n")
	}
	return g.calls.note("ls", map[string]any{"path": path}, b.String())
}
