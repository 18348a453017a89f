package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// dougu solves tasks with this library's server, and with the profile beside also with the client's own tools for lines, files and
// edits, which that profile lacks.
type dougu struct {
	served
	own *grepEdit // nil with other profiles
}

func (d *dougu) definitions() (int, error) {
	size, err := d.served.definitions()
	if d.own != nil {
		size += len(grepEditTools)
	}
	return size, err
}

func (d *dougu) solve(t task) error {
	if d.own != nil && slices.Contains([]kind{findUses, changeAll, changeLine, listFiles}, t.kind) {
		return d.withOwn(func() error { return d.own.solve(t) })
	}
	switch t.kind {
	case readFunction:
		return d.readNamed(t)
	case changeNamed:
		if err := d.readNamed(t); err != nil {
			return err
		}
		return d.edit(t, false)
	case listMembers:
		_, err := d.call("list_functions_in_file", map[string]any{"filePath": t.file})
		return err
	case findUses:
		_, err := d.call("search_content", map[string]any{"pattern": t.name})
		return err
	case findConcept:
		return d.explore(t)
	case changeAll:
		if _, err := d.call("search_content", map[string]any{"pattern": t.name, "path": t.file}); err != nil {
			return err
		}
		return d.edit(t, true)
	case changeLine:
		if err := d.read(t.file, max(t.line-10, 1), t.line+9); err != nil {
			return err
		}
		return d.edit(t, false)
	case listFiles:
		_, err := d.call("list_directory", map[string]any{"path": t.name})
		return err
	}
	return fmt.Errorf("unknown kind %q", t.kind)
}

// readNamed reads a function by its name. If the name is ambiguous, the error has the ids, and a model chooses the one in the file of
// the task by its path.
func (d *dougu) readNamed(t task) error {
	_, err := d.call("get_chunk", map[string]any{"chunkId": t.name})
	if err == nil {
		return nil
	}
	id := regexp.MustCompile(regexp.QuoteMeta(t.file) + `#[^\s,]+`).FindString(err.Error())
	if id == "" {
		return err
	}
	_, err = d.call("get_chunk", map[string]any{"chunkId": strings.TrimSuffix(id, ".")})
	return err
}

// explore searches by the description, and reads the rest of the piece if the lines shown are not enough.
func (d *dougu) explore(t task) error {
	found, err := d.call("searchDocuments", map[string]any{"query": t.words})
	if err != nil || d.calls.has(t.evidence) {
		return err
	}
	for _, m := range regexp.MustCompile(`(?m)^(\S+):(\d+)-(\d+) \w+ (\S+)`).FindAllStringSubmatch(found, -1) {
		if m[1] != t.file {
			continue
		}
		if err := d.read(m[1], number(m[2]), min(number(m[3]), number(m[2])+2*readLines)); err != nil || d.calls.has(t.evidence) {
			return err
		}
	}
	return fmt.Errorf("searchDocuments does not lead to %q", t.evidence)
}

// read reads lines of a file.
func (d *dougu) read(path string, from, to int) error {
	if d.own != nil {
		return d.withOwn(func() error { return d.own.read(path, from, to-from+1) })
	}
	_, err := d.call("read_file", map[string]any{"path": path, "startLine": from, "endLine": to})
	return err
}

// withOwn makes calls with the client's own tools, which count, too.
func (d *dougu) withOwn(calls func() error) error {
	d.own.calls = log{}
	err := calls()
	d.calls.add(d.own.calls.cost)
	d.calls.text.WriteString(d.own.calls.text.String())
	return err
}

// edit makes the change of a task.
func (d *dougu) edit(t task, all bool) error {
	if d.own != nil {
		return d.withOwn(func() error { return d.own.edit(t, all) })
	}
	edit := map[string]any{"oldText": t.before, "newText": t.after}
	if all {
		edit["replaceAll"] = true
	}
	_, err := d.call("edit_file", map[string]any{"path": t.file, "edits": []any{edit}})
	return err
}
