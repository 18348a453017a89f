package main

import (
	"fmt"
	"regexp"
	"strings"
)

// dougu solves tasks with this library's server.
type dougu struct{ served }

// symbolLine is a result of search_symbols: the id, the kind and the lines.
var symbolLine = regexp.MustCompile(`(?m)^(\S+) \[\w+, \d+`)

func (d *dougu) solve(t task) error {
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
		if _, err := d.call("read_file", map[string]any{"path": t.file, "startLine": max(t.line-10, 1), "endLine": t.line + 9}); err != nil {
			return err
		}
		return d.edit(t, false)
	case listFiles:
		_, err := d.call("list_directory", map[string]any{"path": t.name})
		return err
	}
	return fmt.Errorf("unknown kind %q", t.kind)
}

// readNamed finds a function by its name and reads it. Of several results it reads the one in the file of the task, as a model chooses
// it by its path and signature.
func (d *dougu) readNamed(t task) error {
	found, err := d.call("search_symbols", map[string]any{"query": t.name})
	if err != nil {
		return err
	}
	for _, m := range symbolLine.FindAllStringSubmatch(found, -1) {
		file, name, _ := strings.Cut(m[1], "#")
		name, _, _ = strings.Cut(name, "(") // ids of Swift functions have the labels of their parameters
		if id := m[1]; file == t.file && (name == t.name || strings.HasSuffix(name, "."+t.name)) {
			_, err := d.call("get_chunk", map[string]any{"chunkId": id})
			return err
		}
	}
	return fmt.Errorf("search_symbols does not find %s in %s", t.name, t.file)
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
		if _, err := d.call("read_file", map[string]any{"path": m[1], "startLine": number(m[2]), "endLine": min(number(m[3]), number(m[2])+2*readLines)}); err != nil || d.calls.has(t.evidence) {
			return err
		}
	}
	return fmt.Errorf("searchDocuments does not lead to %q", t.evidence)
}

// edit makes the change of a task.
func (d *dougu) edit(t task, all bool) error {
	edit := map[string]any{"oldText": t.before, "newText": t.after}
	if all {
		edit["replaceAll"] = true
	}
	_, err := d.call("edit_file", map[string]any{"path": t.file, "edits": []any{edit}})
	return err
}
