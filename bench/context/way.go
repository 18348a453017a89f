package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/bench/driver"
)

// writtenWeight is the price of a byte that a model writes, relative to a byte that it reads.
const writtenWeight = 5

// cost counts the bytes of calls in the context of a model.
type cost struct {
	calls   int
	read    int // text of results
	written int // names and arguments of calls
}

func (c *cost) add(d cost) {
	c.calls += d.calls
	c.read += d.read
	c.written += d.written
}

// price is the weighted size.
func (c cost) price() int { return c.read + writtenWeight*c.written }

// way solves tasks in a directory with one set of tools.
type way interface {
	// definitions returns the size in bytes of the tool definitions that a model reads once a session.
	definitions() (int, error)
	// solve makes the calls that solve a task.
	solve(t task) error
	// log returns the calls since the last reset.
	log() *log
	close()
}

// log holds the cost of calls and the text of their results.
type log struct {
	cost
	text strings.Builder
}

// note adds a call.
func (l *log) note(tool string, args map[string]any, result string) error {
	written, err := json.Marshal(args)
	if err != nil {
		return err
	}
	l.add(cost{1, len(result), len(tool) + len(written)})
	l.text.WriteString(result)
	l.text.WriteByte('\n')
	return nil
}

// has reports whether the results so far contain all texts.
func (l *log) has(texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(l.text.String(), text) {
			return false
		}
	}
	return true
}

// served is the part that ways with an MCP server share.
type served struct {
	session *driver.Session
	dir     string
	calls   log
}

func (s *served) log() *log { return &s.calls }

func (s *served) close() { s.session.Close() }

// definitions counts the parts of the list that clients pass on to a model: name, description and input schema of each tool
// (docs/clients.md).
func (s *served) definitions() (int, error) {
	answer, _, err := s.session.Ask("tools/list", struct{}{})
	if err != nil {
		return 0, err
	}
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return 0, fmt.Errorf("reading the list of tools: %w", err)
	}
	var passed bytes.Buffer
	encoder := json.NewEncoder(&passed)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(list.Tools)
	return passed.Len() - 1 + len(s.session.Instructions()), err
}

// call calls a tool and returns the text of its result.
func (s *served) call(tool string, args map[string]any) (string, error) {
	answer, _, err := s.session.Ask("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return "", err
	}
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return "", fmt.Errorf("reading the result of %s: %w", tool, err)
	}
	var texts []string
	for _, block := range result.Content {
		texts = append(texts, block.Text)
	}
	text := strings.Join(texts, "\n")
	if err := s.calls.note(tool, args, text); err != nil {
		return "", err
	}
	if result.IsError {
		return "", fmt.Errorf("%s: %s", tool, text)
	}
	return text, nil
}

// solveTask solves a task and returns its cost. Changed files are restored.
func solveTask(w way, t task, dir string) (cost, error) {
	*w.log() = log{}
	former, err := readFile(dir, t)
	if err != nil {
		return cost{}, err
	}
	err = w.solve(t)
	spent := w.log().cost
	switch {
	case err != nil:
	case t.changes():
		err = errors.Join(t.check(dir, former), os.WriteFile(filepath.Join(dir, filepath.FromSlash(t.file)), []byte(former), 0o644))
	case !w.log().has(t.evidence):
		err = fmt.Errorf("the answers lack one of %q", t.evidence)
	}
	return spent, err
}

// readFile returns the content of the file that a task changes.
func readFile(dir string, t task) (string, error) {
	if !t.changes() {
		return "", nil
	}
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(t.file)))
	return string(content), err
}
