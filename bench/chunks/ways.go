package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// Names of the compared servers.
const (
	ours      = "dougu"
	reference = "server-filesystem"
)

// cost is the size of a task's calls in the context of a model, in bytes.
type cost struct {
	calls      int
	text       int // text of the results
	structured int // structured content of the results
	written    int // names and arguments of the calls, which the model writes
}

func (c *cost) add(d cost) {
	c.calls += d.calls
	c.text += d.text
	c.structured += d.structured
	c.written += d.written
}

// worker solves tasks in a directory with a server.
type worker struct {
	dir string
	*driver.Session
	cost
	byTool map[string]*cost
	took   time.Duration // response time of the last call

	ranks   []int            // ranks of the function in search results, from 1
	settle  func() error     // waits until the server has detected a restored file; may be nil
	results int              // limit of search results; 0 is the default
	notes   string           // texts behind the first one of the last answer
	kinds   *[kindCount]cost // by kindOf, if not nil
}

// result is a tool's result.
type result struct {
	Content    []struct{ Type, Text string }
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool
}

// notes returns the texts behind the first one.
func (r result) notes() string {
	var notes []string
	for _, block := range r.Content[min(1, len(r.Content)):] {
		notes = append(notes, block.Text)
	}
	return strings.Join(notes, "\n")
}

// timed calls a tool and returns the response time.
func (w *worker) timed(tool string, args map[string]any) (time.Duration, error) {
	if _, err := w.call(tool, args, nil); err != nil {
		return 0, err
	}
	return w.took, nil
}

// call calls a tool, counts the bytes, and returns the first text of the result. Further texts are notes.
func (w *worker) call(tool string, args map[string]any, structured any) (string, error) {
	written, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	answer, took, err := w.Ask("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return "", err
	}
	w.took = took
	var r result
	if err := json.Unmarshal(answer, &r); err != nil {
		return "", fmt.Errorf("reading the result of %s: %w", tool, err)
	}
	size := 0
	for _, block := range r.Content {
		size += len(block.Text)
	}
	if len(r.Content) == 0 {
		return "", fmt.Errorf("%s answers nothing", tool)
	}
	text := r.Content[0].Text
	spent := cost{1, size, len(r.Structured), len(tool) + len(written)}
	w.add(spent)
	if w.byTool[tool] == nil {
		w.byTool[tool] = new(cost)
	}
	w.byTool[tool].add(spent)
	w.notes = r.notes()
	if w.kinds != nil {
		w.kinds[kindOf(tool)].add(spent)
		if len(r.Structured) > 0 {
			return "", fmt.Errorf("%s answers structured content, which a client would pass on instead of the text", tool)
		}
	}
	if r.IsError {
		return "", fmt.Errorf("%s: %s", tool, text)
	}
	if structured != nil {
		err = json.Unmarshal(r.Structured, structured)
	}
	return text, err
}

// byFunctions solves a task with this library's tools: it finds the function, reads it and replaces it.
func (w *worker) byFunctions(t task) error {
	id, err := w.find(t)
	if err != nil {
		return err
	}
	code, err := w.call("get_chunk", map[string]any{"chunkId": id}, nil)
	if err != nil {
		return err
	}
	if n := strings.Count(code, t.old); n != 1 {
		return fmt.Errorf("%s has %q %d times", id, t.old, n)
	}
	_, err = w.call("replace_function_chunk", map[string]any{"chunkId": id, "newCode": strings.Replace(code, t.old, t.new, 1)}, nil)
	return err
}

// symbol is a result of a search.
type symbol struct {
	ID            string
	Line, EndLine int
}

// find resolves the known name to an id with default arguments. A model chooses among several results by their signatures; here the
// one around the changed line is chosen.
func (w *worker) find(t task) (string, error) {
	var listed struct{ Functions []symbol }
	var err error
	switch {
	case t.listed:
		_, err = w.call("list_functions_in_file", map[string]any{"filePath": t.file}, &listed)
	case t.within:
		_, err = w.call("find_function", map[string]any{"filePath": t.file, "functionQuery": t.query}, &listed)
	default:
		// A name that is not found as a function may be a constant with a function as value.
		for _, args := range []map[string]any{{"query": t.query, "kind": "callable"}, {"query": t.query}} {
			if t.told {
				args["path"] = path.Base(t.file)
			}
			if w.results > 0 {
				args["maxResults"] = w.results
			}
			if id, err := w.search(t, args); id != "" || err != nil {
				return id, err
			}
		}
	}
	if err != nil {
		return "", err
	}
	if id := t.among(listed.Functions); id != "" {
		return id, nil
	}
	return "", fmt.Errorf("%q finds no function around line %d of %s", t.query, t.line, t.file)
}

// search reads some pages of results. It returns "" if the function is not among them.
func (w *worker) search(t task, args map[string]any) (string, error) {
	const pages = 4
	before := 0
	for range pages {
		var page struct {
			Symbols    []symbol
			NextCursor string
		}
		if _, err := w.call("search_symbols", args, &page); err != nil {
			return "", err
		}
		id := t.among(page.Symbols)
		if id != "" {
			w.ranks = append(w.ranks, before+1+slices.IndexFunc(page.Symbols, func(s symbol) bool { return s.ID == id }))
		}
		if id != "" || page.NextCursor == "" {
			return id, nil
		}
		before += len(page.Symbols)
		args["cursor"] = page.NextCursor
	}
	return "", nil
}

// among returns the id of the innermost function around the changed line.
func (t task) among(found []symbol) (id string) {
	line := 0
	for _, s := range found {
		file, _, _ := strings.Cut(s.ID, "#")
		if file == t.file && s.Line <= t.line && t.line <= s.EndLine && s.Line > line {
			id, line = s.ID, s.Line
		}
	}
	return id
}

// byFiles solves a task with the reference server, with the name of the file: it finds the file, reads it and edits it.
func (w *worker) byFiles(t task) error {
	found, err := w.call("search_files", map[string]any{"path": w.dir, "pattern": "**/" + path.Base(t.file)}, nil)
	if err != nil {
		return err
	}
	name := filepath.Join(w.dir, filepath.FromSlash(t.file))
	if !strings.Contains("\n"+found+"\n", "\n"+name+"\n") {
		return fmt.Errorf("search_files does not find %s", name)
	}
	text, err := w.call("read_text_file", map[string]any{"path": name}, nil)
	if err != nil {
		return err
	}
	if strings.Count(text, t.old) != 1 {
		return errors.New("the text that was read is not that of the file")
	}
	_, err = w.call("edit_file", map[string]any{"path": name, "edits": []map[string]any{{"oldText": t.old, "newText": t.new}}}, nil)
	return err
}

// solve solves a task, checks the file, and restores it.
func (w *worker) solve(t task, way func(*worker, task) error) (cost, error) {
	w.cost = cost{}
	failed := way(w, t)
	name := filepath.Join(w.dir, filepath.FromSlash(t.file))
	after, err := os.ReadFile(name)
	if err == nil && failed == nil && string(after) != t.want() {
		failed = fmt.Errorf("%s is not as it should be", t.file)
	}
	if err == nil && string(after) != t.src {
		err = os.WriteFile(name, []byte(t.src), 0o644)
	}
	if err == nil && w.settle != nil {
		err = w.settle()
	}
	return w.cost, errors.Join(failed, err)
}

// command returns the command that starts a server with more flags for that of this library.
func (b *bench) command(ctx context.Context, name, dir string, flags ...string) *exec.Cmd {
	if name == ours {
		return exec.CommandContext(ctx, b.ours, append([]string{"serve", "-root", dir}, flags...)...)
	}
	return exec.CommandContext(ctx, b.node, b.peer, dir)
}
