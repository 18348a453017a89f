package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// byEdits solves a task with edit_chunk. lines selects the old text of the task instead of the shortest one.
func (w *worker) byEdits(t task, lines bool) error {
	id, code, err := w.readFunction(t)
	if err != nil {
		return err
	}
	was, now := t.old, t.new
	if !lines {
		was, now = shortestEdit(code, t.old, t.new)
	}
	_, err = w.call("edit_chunk", map[string]any{"chunkId": id, "oldText": was, "newText": now}, nil)
	return err
}

// byReplacement solves a task with replace_function_chunk.
func (w *worker) byReplacement(t task) error {
	id, code, err := w.readFunction(t)
	if err != nil {
		return err
	}
	_, err = w.call("replace_function_chunk", map[string]any{"chunkId": id, "newCode": strings.Replace(code, t.old, t.new, 1)}, nil)
	return err
}

// readFunction reads the function of a task as the descriptions of the tools say: get_chunk takes a name or a part of it. If the part
// is ambiguous, it reads one of the ids in the error; if it means another function, it searches. It returns the id for a change.
func (w *worker) readFunction(t task) (id, code string, err error) {
	named := t.query
	if t.listed {
		if named, err = w.listedName(t); err != nil {
			return "", "", err
		}
	}
	code, err = w.call("get_chunk", map[string]any{"chunkId": named}, nil)
	if err == nil && w.fits(t, named, code) {
		return w.idIn(named), code, nil
	}
	wanted := func(id string) bool { return w.isWanted(t, id) }
	candidates := ambiguousIDs(err)
	at := slices.IndexFunc(candidates, wanted)
	if at < 0 { // the error does not list all
		if candidates, err = w.searchIDs(t); err != nil {
			return "", "", err
		}
		if at = slices.IndexFunc(candidates, wanted); at < 0 {
			return "", "", errors.New("the function is not found")
		}
	}
	code, err = w.call("get_chunk", map[string]any{"chunkId": candidates[at]}, nil)
	return candidates[at], code, err
}

// fits reports whether a chunk that was read has the text of the task.
func (w *worker) fits(t task, named, code string) bool {
	place := noted.FindStringSubmatch(w.notes)
	inFile := strings.HasPrefix(named, t.file+"#") || place != nil && (place[2] == t.file || strings.HasPrefix(place[1], t.file+"#"))
	return inFile && strings.Count(code, t.old) == 1
}

// isWanted reports whether an id means the function of the task, which a model knows from its name. Its call is not counted.
func (w *worker) isWanted(t task, id string) bool {
	answer, _, err := w.Ask("tools/call", map[string]any{"name": "get_chunk", "arguments": map[string]any{"chunkId": id}})
	var r result
	if err != nil || json.Unmarshal(answer, &r) != nil || r.IsError || len(r.Content) == 0 {
		return false
	}
	w.notes = r.notes()
	return w.fits(t, id, r.Content[0].Text)
}

// noted matches the note of a chunk that was read by name: its id and the path of its file.
var noted = regexp.MustCompile(`(?m)^\[(.+?), (?:lines |(\S+?):)\d+`)

// idIn returns the id in the note of the last answer, or the one that the call had.
func (w *worker) idIn(named string) string {
	if m := noted.FindStringSubmatch(w.notes); m != nil {
		return m[1]
	}
	return named
}

// ambiguousIDs returns the ids in an AMBIGUOUS_CHUNK error.
func ambiguousIDs(err error) []string {
	if err == nil || !strings.Contains(err.Error(), "AMBIGUOUS_CHUNK") {
		return nil
	}
	_, list, _ := strings.Cut(err.Error(), "Give one of these ids: ")
	list, _, _ = strings.Cut(list, "\n")
	list = strings.TrimSuffix(strings.TrimSuffix(list, "."), " and others")
	return strings.Split(list, ", ")
}

// symbolLine matches a line of search_symbols: the id and the lines.
var symbolLine = regexp.MustCompile(`(?m)^ (\S.*?) \d+(?:-\d+)? `)

// moreLine matches the cursor of a list.
var moreLine = regexp.MustCompile(`(?m)^\[more: cursor=(.*)\]$`)

// searchIDs returns the ids that search_symbols shows on the first pages.
func (w *worker) searchIDs(t task) ([]string, error) {
	const pages = 4
	var ids []string
	args := map[string]any{"query": t.query}
	for range pages {
		text, err := w.call("search_symbols", args, nil)
		if err != nil {
			return nil, err
		}
		for _, m := range symbolLine.FindAllStringSubmatch(text, -1) {
			if ids = append(ids, m[1]); w.isWanted(t, m[1]) {
				return ids, nil
			}
		}
		m := moreLine.FindStringSubmatch(text)
		if m == nil {
			break
		}
		args["cursor"] = m[1]
	}
	return ids, nil
}

// listedLine matches a line of list_functions_in_file: the lines, and the name in the signature.
var listedLine = regexp.MustCompile(`^ ?(\d+)(?:-(\d+))? .*?\b(?:func|fun|function\*?|const) (\w+)`)

// listedName returns the name of the function that list_functions_in_file shows around the changed line.
func (w *worker) listedName(t task) (string, error) {
	text, err := w.call("list_functions_in_file", map[string]any{"filePath": t.file}, nil)
	if err != nil {
		return "", err
	}
	name := ""
	for line := range strings.Lines(text) {
		m := listedLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		last, _ := strconv.Atoi(cmp.Or(m[2], m[1]))
		if first <= t.line && t.line <= last {
			name = m[3]
		}
	}
	if name == "" {
		return "", fmt.Errorf("%s lists no function around line %d", t.file, t.line)
	}
	return name, nil
}
