package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// filesystem solves tasks with the reference server for files, which finds names of files and not their content. It is therefore told
// the file of every task; in findUses it reads each file with the name, which it is told, too.
type filesystem struct{ served }

func (f *filesystem) solve(t task) error {
	switch t.kind {
	case readFunction, listMembers, findConcept:
		return f.read(t.file)
	case findUses:
		return fs.WalkDir(os.DirFS(f.dir), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
			if err != nil || !strings.Contains(string(content), t.name) {
				return err
			}
			f.calls.text.WriteString(name + "\n")
			return f.read(name)
		})
	case changeLine:
		if _, err := f.call("read_text_file", map[string]any{"path": f.path(t.file), "head": t.line + 9}); err != nil {
			return err
		}
		return f.edit(t, []map[string]any{{"oldText": t.before, "newText": t.after}})
	case changeNamed:
		if err := f.read(t.file); err != nil {
			return err
		}
		return f.edit(t, []map[string]any{{"oldText": t.before, "newText": t.after}})
	case changeAll:
		if err := f.read(t.file); err != nil {
			return err
		}
		return f.edit(t, f.lines(t))
	case listFiles:
		_, err := f.call("list_directory", map[string]any{"path": f.path(t.name)})
		return err
	}
	return fmt.Errorf("unknown kind %q", t.kind)
}

func (f *filesystem) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *filesystem) read(name string) error {
	_, err := f.call("read_text_file", map[string]any{"path": f.path(name)})
	return err
}

func (f *filesystem) edit(t task, edits []map[string]any) error {
	_, err := f.call("edit_file", map[string]any{"path": f.path(t.file), "edits": edits})
	return err
}

// lines returns one edit for each line with the name: edit_file replaces the first occurrence of a text.
func (f *filesystem) lines(t task) []map[string]any {
	content, err := os.ReadFile(f.path(t.file))
	if err != nil {
		return nil
	}
	var edits []map[string]any
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimRight(line, "\n"); strings.Contains(line, t.before) {
			edits = append(edits, map[string]any{"oldText": line, "newText": strings.ReplaceAll(line, t.before, t.after)})
		}
	}
	return edits
}
