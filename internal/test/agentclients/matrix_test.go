package agentclients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/test/agentmodel"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// task is the prompt of each run.
const task = "Call the tools of the matrix."

// toolCase is a call of the matrix.
type toolCase struct {
	name         string // in recordings and in the table
	server, tool string
	args         any
}

// toolCases are the calls of a conversation, in order.
var toolCases = []toolCase{
	{"success", "workfiles", "list_directory", map[string]string{"path": "src"}},
	{"error", "workfiles", "read_file", map[string]string{"path": "missing.txt"}},
	{"image", "workfiles", "read_file", map[string]string{"path": "red.png"}},
	{"long file", "workfiles", "read_file", map[string]string{"path": "long.txt"}},
	{"functions", "cursorcli", "list_functions_in_file", map[string]string{"filePath": "sum.go"}},
	{"text and structured", "probe", "both", nil},
	{"failed, text and structured", "probe", "fail_both", nil},
	{"two texts", "probe", "blocks", nil},
	{"text and image", "probe", "image", nil},
	{"text, image and structured", "probe", "image_both", nil},
	{"link and resource", "probe", "links", nil},
	{"sound", "probe", "audio", nil},
	{"question", "probe", "ask", nil},
	{"progress", "probe", "progress", nil},
	{"time limit", "probe", "wait", nil},
	{"long text", "probe", "long", nil},
}

// conversation plays the cases to a program and keeps its requests.
type conversation struct {
	steps []agentmodel.Step

	mu    sync.Mutex
	first *agentmodel.Request  // with the list of tools; after the searches for them, if there are any
	found []agentmodel.Block   // the results of the searches
	news  [][]agentmodel.Block // by step; nil before its result
}

// newConversation returns the conversation with a program. tools are the names of the tools of both servers, with prefixes.
func newConversation(p agentProgram, tools []string) *conversation {
	c := &conversation{}
	if p.search != nil {
		for names := range slices.Chunk(tools, cmp.Or(p.searchLimit, len(tools))) {
			c.steps = append(c.steps, p.search(names))
		}
	}
	for _, tc := range toolCases {
		c.steps = append(c.steps, agentmodel.Step{Server: tc.server, Tool: tc.tool, Args: tc.args})
	}
	for i := range c.steps {
		c.steps[i].Text = "Next I call " + c.steps[i].Tool + "." // Programs complain about a silent model.
	}
	c.news = make([][]agentmodel.Block, len(c.steps))
	return c
}

// results returns the number of results that the program has passed on.
func (c *conversation) results() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, blocks := range c.news {
		if blocks != nil {
			n++
		}
	}
	return n
}

// next returns the model's turn after a request.
func (c *conversation) next(r *agentmodel.Request) agentmodel.Step {
	if len(r.Tools) == 0 || !bytes.Contains(r.Body, []byte(task)) {
		return agentmodel.Step{Text: "OK"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Results > 0 && r.Results <= len(c.steps) {
		c.news[r.Results-1] = r.News
	}
	if searches := len(c.steps) - len(toolCases); r.Results == searches {
		c.first = r
		c.found = slices.Concat(c.news[:searches]...)
	}
	if r.Results >= len(c.steps) {
		return agentmodel.Step{Text: "Done."}
	}
	return c.steps[r.Results]
}

// TestPrograms_Recordings runs each program and compares the model's view with the committed recording.
func TestPrograms_Recordings(t *testing.T) {
	testrequire.Node(t, 20, "install a recent Node.js and put it on the PATH")
	for _, p := range agentPrograms {
		programPath(t, p.bin)
	}
	cursorcli := buildCursorcli(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	profiles := map[string][]string{}
	for _, profile := range []string{"beside", "cursorcli"} {
		profiles[profile] = toolNames(t, transport.Command{Path: cursorcli, Args: []string{"-root", t.TempDir(), "-profile", profile}})
	}
	ofProbe := toolNames(t, transport.Command{Path: self, Args: []string{probeCommand, filepath.Join(t.TempDir(), "log")}})
	for _, p := range agentPrograms {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			c := newConversation(p, slices.Concat(prefixed("cursorcli", profiles[p.profile]), prefixed("workfiles", profiles["cursorcli"]), prefixed("probe", ofProbe)))
			r := newRun(t, p, agentmodel.Start(t, c.next))
			r.install(cursorcli)
			began := time.Now()
			out, err := r.command(p.args(task)...).CombinedOutput()
			if p.stop != nil {
				if out, err := r.command(p.stop...).CombinedOutput(); err != nil {
					t.Errorf("stop %s: %v\n%s", p.name, err, out)
				}
			}
			t.Logf("%s %s ran for %v: %v", p.name, p.version(t), time.Since(began).Round(time.Second), err)
			if c.results() < len(c.steps) {
				t.Fatalf("%s has passed on %d of %d results: %v\n%s", p.name, c.results(), len(c.steps), err, out)
			}
			recording := r.recording(c)
			for _, tool := range profiles[p.profile] {
				if c.first.Find("cursorcli", tool) == nil {
					t.Errorf("the model lacks %s, which is in the profile %s", tool, p.profile)
				}
			}
			if want := fmt.Sprintf("\ncursorcli: %d tools, ", len(profiles[p.profile])); !strings.Contains(recording, want) {
				t.Errorf("the recording lacks %q", want)
			}
			compare(t, filepath.Join("testdata", p.name+".txt"), recording)
		})
	}
}

// buildCursorcli returns the path of the program.
func buildCursorcli(t *testing.T) string {
	t.Helper()
	cursorcli := filepath.Join(t.TempDir(), "cursorcli")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", cursorcli, "github.com/dougu-go/dougu/examples/cursorcli").CombinedOutput()
	if err != nil {
		t.Fatalf("build cursorcli: %v\n%s", err, out)
	}
	return cursorcli
}

// toolNames returns the names of a server's tools.
func toolNames(t *testing.T, command transport.Command) (names []string) {
	t.Helper()
	client, err := mcp.Connect(t.Context(), command, mcp.Implementation{Name: "agentclients", Version: "1.0.0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range client.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if err := client.Close(); err != nil {
		t.Errorf("close the client of %s: %v", command.Path, err)
	}
	return names
}

// prefixed returns names of tools with the prefix mcp__SERVER__.
func prefixed(server string, names []string) (all []string) {
	for _, name := range names {
		all = append(all, "mcp__"+server+"__"+name)
	}
	return all
}

// compare compares a committed file with its content now, or writes it with -update.
func compare(t *testing.T, name, now string) {
	t.Helper()
	if *update {
		writeFile(t, name, now)
		return
	}
	committed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(committed) == now {
		return
	}
	before, after := strings.Split(string(committed), "\n"), strings.Split(now, "\n")
	for i := range max(len(before), len(after)) {
		var a, b string
		if i < len(before) {
			a = before[i]
		}
		if i < len(after) {
			b = after[i]
		}
		if a != b {
			t.Fatalf("%s differs from line %d on; run go test ./internal/test/agentclients -update, and look at git diff:\n-%s\n+%s", name, i+1, a, b)
		}
	}
}

// clientMessage is a message of the program to the probe.
type clientMessage struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// messages returns the messages in the probe's log.
func (r *run) messages() (all []clientMessage) {
	r.t.Helper()
	data, err := os.ReadFile(r.log())
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var m clientMessage
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			r.t.Fatalf("the probe has got %q: %v", line, err)
		}
		all = append(all, m)
	}
	return all
}

// recording returns the text of a recording.
func (r *run) recording(c *conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "program: %s %s\nmodel: %s\nentered by: cursorcli install %s\n", r.program.pkg, r.program.version(r.t), c.first.API, r.program.name)
	messages := r.messages()
	r.recordConnection(&b, messages)
	r.recordTools(&b, c.first, c.found)
	r.recordInstructions(&b, c.first)
	offset := len(c.steps) - len(toolCases)
	if offset > 0 {
		r.recordSearch(&b, c.found)
	}
	for i, tc := range toolCases {
		r.recordCase(&b, tc, c.news[i+offset])
	}
	return b.String()
}
