package mcptest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// Transcripts runs every transcript in the files that match the glob pattern. server returns a
// fresh server for each transcript.
//
// A line that begins with "-> " is sent to the server. Then the clock stands still until the server
// waits; its output until then must equal the following "<- " lines, byte for byte. A line "!! 5s"
// advances the clock by that time. All other lines are comments. The transcript shows a
// requestState of the server as $state1, $state2 and so on, and a taskId as $task1, $task2. In sent
// lines these names are replaced by the real values.
//
// A file may contain several transcripts, each after a line "-- name --" (the txtar format). Each
// one is a subtest.
//
// The flag -update of a test program that declares it, a bool, rewrites the files to the actual output.
func Transcripts(t *testing.T, pattern string, server func() protocol.Dispatcher) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcript matches %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(string(script), "\r\n", "\n")
			got := playAll(t, file, want, server)
			if got != want && updating() {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// playAll runs the transcripts of a file and returns the file with the actual output.
func playAll(t *testing.T, file, script string, server func() protocol.Dispatcher) string {
	t.Helper()
	parts := sections(script)
	for i := range parts {
		part := &parts[i]
		run := func(t *testing.T) {
			var got string
			Bubble(t, func(t *testing.T) { got = play(t, part.text, checked(t, server())) })
			if got != part.text && !updating() {
				t.Errorf("%s: the server did something else; run the test with -update and look at the change.\n%s", file, firstDifference(part.text, got, part.line))
			}
			part.text = got
		}
		switch {
		case part.name != "":
			t.Run(part.name, run)
		case len(parts) == 1 || strings.Contains("\n"+part.text, "\n-> "):
			run(t)
		}
	}
	return archive(parts)
}

// updating reports whether the test has the flag -update. The test program declares the flag.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// firstDifference describes the first different line of two texts. first is the line number of
// their first line.
func firstDifference(want, got string, first int) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d\n want: %s\n  got: %s", first+i, line(w, i), line(g, i))
		}
	}
	return ""
}

// line returns line i, or a placeholder after the last line.
func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// play runs a transcript and returns it with the actual output of the server.
func play(t *testing.T, script string, d protocol.Dispatcher) string {
	in, send := io.Pipe()
	out := new(output)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	var serving group.Group
	serving.Go(func() {
		ended <- transport.ServeIO(ctx, d, in, out, &transport.Options{Log: slog.New(slog.DiscardHandler)})
	})
	var played strings.Builder
	var states states
	for text := range strings.Lines(strings.ReplaceAll(script, "\r\n", "\n")) {
		text = strings.TrimSuffix(text, "\n")
		if strings.HasPrefix(text, "<-") {
			continue // replaced by the actual output
		}
		played.WriteString(text + "\n")
		switch {
		case strings.HasPrefix(text, "-> "):
			if _, err := io.WriteString(send, states.reveal(text[len("-> "):])+"\n"); err != nil {
				t.Fatalf("sending %s: %v", text, err)
			}
		case strings.HasPrefix(text, "!! "):
			d, err := time.ParseDuration(strings.TrimPrefix(text, "!! "))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		default:
			continue
		}
		synctest.Wait()
		for answer := range strings.Lines(out.take()) {
			played.WriteString("<- " + states.hide(answer))
		}
	}
	_ = send.Close()
	if err := <-ended; err != nil {
		t.Errorf("serving: %v", err)
	}
	return played.String()
}

// output collects the output of the server. It may be used concurrently.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) Close() error { return nil }

// take returns and clears the collected output.
func (o *output) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.buf.Reset()
	return o.buf.String()
}

// states replaces the request states and task ids of a transcript by names that are the same in
// every run.
type states struct{ values, tasks []string }

var (
	statePattern = regexp.MustCompile(`"requestState":"([^"$]+)"`)
	taskPattern  = regexp.MustCompile(`"taskId":"([^"$]+)"`)
)

// hide replaces the values in an output line by names.
func (s *states) hide(text string) string {
	for _, member := range taskPattern.FindAllStringSubmatch(text, -1) {
		if id := member[1]; !slices.Contains(s.tasks, id) {
			s.tasks = append(s.tasks, id)
		}
	}
	for i, id := range s.tasks {
		text = strings.ReplaceAll(text, strconv.Quote(id), fmt.Sprintf(`"$task%d"`, i+1))
	}
	return statePattern.ReplaceAllStringFunc(text, func(member string) string {
		s.values = append(s.values, statePattern.FindStringSubmatch(member)[1])
		return fmt.Sprintf(`"requestState":"$state%d"`, len(s.values))
	})
}

// reveal replaces the names in a sent line by values.
func (s *states) reveal(text string) string {
	for i := len(s.values); i > 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$state%d", i), s.values[i-1])
	}
	for i := len(s.tasks); i > 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$task%d", i), s.tasks[i-1])
	}
	return text
}
