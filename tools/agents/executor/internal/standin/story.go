package standin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Story summarizes events: one line each.
func Story(told []executor.Event) []string {
	lines := make([]string, len(told))
	for i, e := range told {
		words := []string{string(e.Kind)}
		switch {
		case e.Kind == executor.Init:
			words = append(words, e.Session, e.Model)
		case e.Kind == executor.Unknown, e.Kind == executor.Line:
			words = append(words, e.Text[:min(len(e.Text), 60)])
		case e.Tool != nil:
			words = append(words, tool(e.Tool)...)
		default:
			words = append(words, e.Text)
		}
		words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
		lines[i] = strings.Join(words, " ")
	}
	return lines
}

// tool returns the words that summarize a tool call.
func tool(call *executor.Tool) []string {
	words := []string{call.CallID, call.Type}
	if call.Name != "" {
		words = append(words, call.Server+"/"+call.Name)
	}
	for _, c := range call.Changes {
		words = append(words, c.Kind, c.Path)
	}
	if call.Failed {
		words = append(words, "failed: "+call.Error)
	}
	return words
}

// Same fails the test unless the summary of the events equals want.
func Same(t testing.TB, told []executor.Event, want ...string) {
	t.Helper()
	if got := Story(told); !slices.Equal(got, want) {
		t.Errorf("it told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Valid fails the test if an event violates the contract of executor.Event.
func Valid(t testing.TB, e executor.Event) {
	t.Helper()
	if e.Kind == "" || !utf8.ValidString(e.Text+e.Session+e.Model) || (e.Kind == executor.ToolStarted || e.Kind == executor.ToolCompleted) != (e.Tool != nil) {
		t.Errorf("it tells %+v", e)
	}
	if e.Tool != nil && len(e.Tool.Args) > 0 && !json.Valid(e.Tool.Args) {
		t.Errorf("it tells the arguments %s", e.Tool.Args)
	}
}

// Fuzz runs a decoder on variations of the streams that match a pattern, and calls check
// for each event.
func Fuzz(f *testing.F, streams string, decoder func() command.Decoder, check func(testing.TB, executor.Event)) {
	files, err := filepath.Glob(streams)
	if err != nil || len(files) == 0 {
		f.Fatal("there are no streams", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := decoder()
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\n")
			known := d.Decode([]byte(line), func(e executor.Event) { check(t, e) })
			if known && !json.Valid([]byte(line)) {
				t.Errorf("%q was taken for an event", line)
			}
		}
	})
}
