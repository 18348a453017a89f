package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// event is one line of the output of "go test -json", as "go doc test2json" defines it. Package is empty in build events, which have
// ImportPath.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64 // seconds; of pass, fail and skip
}

func (e event) duration() time.Duration { return time.Duration(e.Elapsed * float64(time.Second)) }

// test identifies a test. Name has the subtest after slashes and is empty for the package as a whole.
type test struct{ Package, Name string }

func (t test) String() string { return strings.TrimSpace(t.Package + " " + t.Name) }

// isTop reports whether t is a top-level test.
func (t test) isTop() bool { return t.Name != "" && !strings.Contains(t.Name, "/") }

// top returns the top-level test of a subtest.
func (t test) top() test {
	name, _, _ := strings.Cut(t.Name, "/")
	return test{t.Package, name}
}

// readEvents calls yield for every event. A line that is no event, like a message of the go command, is output of its own.
func readEvents(in io.Reader, yield func(event)) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			var e event
			if json.Unmarshal([]byte(trimmed), &e) != nil || e.Action == "" {
				e = event{Action: "output", Output: line}
			}
			yield(e)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("reading test events: %w", err)
		}
	}
}
