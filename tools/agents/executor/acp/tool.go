package acp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// Limits of the tool calls of one run.
const (
	maxOpen  = 1024    // calls without an end
	maxPaths = 1000    // files and content blocks of one call
	maxPath  = 4096    // bytes of a path
	maxDiffs = 4 << 20 // bytes of the diffs of all open calls
	maxDiff  = 1 << 20 // bytes of both texts of one comparison
)

// tools are the tool calls that the program has reported. The zero value is empty.
type tools struct {
	// open are the calls without an end, by ID.
	open map[string]*call
	// refused are IDs of calls whose permission was refused; later updates of them are
	// ignored.
	refused map[string]struct{}
	// diffs is the total size of the diffs of open calls, in bytes.
	diffs int
}

// call is the state of one tool call, merged from its updates.
type call struct {
	id, kind, title string
	server, name    string // set for a tool of an MCP server
	input           json.RawMessage
	edits           []edit
	paths           []string // locations that the program reports
	wrong           string
}

// edit is a reported change of a file, with its unified diff.
type edit struct {
	executor.FileChange
	diff string
}

// toolCall is a tool_call or tool_call_update. Members that are missing keep their earlier
// values.
type toolCall struct {
	ID        string            `json:"toolCallId"`
	Title     string            `json:"title"`
	Kind      string            `json:"kind"`
	Status    string            `json:"status"`
	Content   []json.RawMessage `json:"content"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	Input  json.RawMessage `json:"rawInput"`
	Output json.RawMessage `json:"rawOutput"`
}

// update merges an update of a call and reports the start and the end of the call.
func (ts *tools) update(raw json.RawMessage, servers []executor.Server, tell func(executor.Event)) {
	c, u := ts.note(raw, servers, tell)
	if c == nil || u.Status != "completed" && u.Status != "failed" {
		return
	}
	ts.drop(c)
	tool := c.tool()
	if u.Status == "failed" {
		tool.Failed, tool.Error = true, c.wrong
		if text := ""; tool.Error == "" && json.Unmarshal(u.Output, &text) == nil {
			tool.Error = pull.Clip(text, pull.MaxError)
		}
	} else {
		tool.Changes, tool.Diff = c.changes()
	}
	tell(executor.Event{Kind: executor.ToolCompleted, Tool: tool})
}

// note merges an update into its call and reports ToolStarted for a new one. It returns nil
// for an update without an ID and for a refused call.
func (ts *tools) note(raw json.RawMessage, servers []executor.Server, tell func(executor.Event)) (*call, toolCall) {
	var u toolCall
	if json.Unmarshal(raw, &u) != nil || u.ID == "" {
		return nil, u
	}
	id := pull.Clip(u.ID, pull.MaxName)
	if _, ok := ts.refused[id]; ok {
		return nil, u
	}
	c, known := ts.open[id]
	if !known {
		c = &call{id: id, kind: "other"}
		if ts.open == nil {
			ts.open = make(map[string]*call)
		}
		if len(ts.open) < maxOpen {
			ts.open[id] = c
		}
	}
	ts.merge(c, u, servers)
	if !known {
		tool := c.tool()
		tool.Args = c.args()
		tell(executor.Event{Kind: executor.ToolStarted, Tool: tool})
	}
	return c, u
}

// merge copies the present members of an update to the call.
func (ts *tools) merge(c *call, u toolCall, servers []executor.Server) {
	if u.Kind != "" {
		c.kind = pull.Clip(u.Kind, pull.MaxName)
	}
	if u.Title != "" {
		c.title = pull.Clip(u.Title, pull.MaxError)
	}
	if len(u.Input) > 0 && u.Input[0] == '{' {
		c.input = slices.Clone(command.Shorten(u.Input, pull.MaxMCPArgs))
	}
	if c.name == "" {
		c.server, c.name = mcpTool(c.title, servers)
	}
	if u.Locations != nil {
		c.paths = c.paths[:0]
		for _, l := range u.Locations[:min(len(u.Locations), maxPaths)] {
			if usable(l.Path) {
				c.paths = append(c.paths, l.Path)
			}
		}
	}
	if u.Content != nil {
		ts.read(c, u.Content)
	}
}

// usable reports whether a path is not empty, at most maxPath bytes long and free of NUL.
func usable(path string) bool {
	return path != "" && len(path) <= maxPath && !strings.ContainsRune(path, 0)
}

// read replaces the call's edits and error text by the content of an update.
func (ts *tools) read(c *call, blocks []json.RawMessage) {
	if len(c.edits) > 0 { // an update contains the complete content again
		for _, e := range c.edits {
			ts.diffs -= len(e.diff)
		}
		c.edits = nil
	}
	c.wrong = ""
	for _, raw := range blocks[:min(len(blocks), maxPaths)] {
		var b struct {
			Type    string  `json:"type"`
			Content content `json:"content"`
			Path    string  `json:"path"`
			Old     *string `json:"oldText"`
			New     string  `json:"newText"`
			Meta    struct {
				Kind string `json:"kind"`
			} `json:"_meta"`
		}
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		switch {
		case b.Type == "content" && c.wrong == "":
			c.wrong = pull.Clip(b.Content.words(), pull.MaxError)
		case b.Type == "diff" && usable(b.Path):
			e := edit{FileChange: executor.FileChange{Path: b.Path, Kind: "edited"}}
			old := ""
			if b.Old != nil {
				old = *b.Old
			}
			switch {
			case b.Old == nil || b.Meta.Kind == "add":
				e.Kind = "created"
			case b.Meta.Kind == "delete":
				e.Kind = "deleted"
			}
			e.diff = ts.compare(e.FileChange, old, b.New)
			ts.diffs += len(e.diff)
			c.edits = append(c.edits, e)
		}
	}
}

// compare returns a unified diff, or "" if the texts or the diffs of the run exceed their
// limits.
func (ts *tools) compare(c executor.FileChange, old, new string) string {
	room := min(pull.MaxDiff, maxDiffs-ts.diffs)
	if len(old)+len(new) > maxDiff || room <= 0 {
		return ""
	}
	from, to := "a/"+strings.TrimPrefix(c.Path, "/"), "b/"+strings.TrimPrefix(c.Path, "/")
	switch c.Kind {
	case "created":
		from = "/dev/null"
	case "deleted":
		to = "/dev/null"
	}
	return textdiff.Unified(from, to, old, new, textdiff.Options{MaxBytes: room})
}

// drop removes a call and its diffs from the open calls.
func (ts *tools) drop(c *call) {
	for _, e := range c.edits {
		ts.diffs -= len(e.diff)
	}
	delete(ts.open, c.id)
}

// refuse reports a call as failed, because some programs never report the end of a refused
// call.
func (ts *tools) refuse(c *call, why string, tell func(executor.Event)) {
	ts.drop(c)
	if ts.refused == nil {
		ts.refused = make(map[string]struct{})
	}
	if len(ts.refused) < maxOpen {
		ts.refused[c.id] = struct{}{}
	}
	tool := c.tool()
	tool.Failed, tool.Error = true, "refused: "+why
	tell(executor.Event{Kind: executor.ToolCompleted, Tool: tool})
}

// tool returns the event data that identifies the call.
func (c *call) tool() *executor.Tool {
	return &executor.Tool{CallID: c.id, Type: c.kind, Server: c.server, Name: c.name}
}

// args returns the arguments for the event ToolStarted. For an MCP tool they are the tool's
// own arguments, without the wrapper; package agents reads reports from them. For other
// tools they are title, input and at most 20 paths.
func (c *call) args() json.RawMessage {
	if c.name != "" && len(c.input) > 0 {
		var wrapped struct {
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal(c.input, &wrapped) == nil && len(wrapped.Arguments) > 0 && wrapped.Arguments[0] == '{' {
			return wrapped.Arguments
		}
		return c.input
	}
	told := map[string]any{"title": c.title}
	if len(c.input) > 0 {
		told["input"] = c.input
	}
	if len(c.paths) > 0 {
		told["paths"] = c.paths[:min(len(c.paths), 20)]
	}
	text, err := json.Marshal(told)
	if err != nil {
		return nil
	}
	return command.Shorten(text, pull.MaxArgs)
}

// changes returns the changed files and their diffs. Without diffs, a call of kind edit or
// delete changes its locations.
func (c *call) changes() (all []executor.FileChange, diff string) {
	for _, e := range c.edits {
		all = append(all, e.FileChange)
		if len(diff)+len(e.diff) <= pull.MaxDiff {
			diff += e.diff
		}
	}
	kind := map[string]string{"edit": "edited", "delete": "deleted"}[c.kind]
	if len(all) == 0 && kind != "" {
		for _, path := range c.paths {
			all = append(all, executor.FileChange{Path: path, Kind: kind})
		}
	}
	return all, diff
}

// mcpTool returns the server and the tool that a title names. The protocol has no member
// for it; programs write titles in different forms.
func mcpTool(title string, servers []executor.Server) (server, name string) {
	for _, s := range servers {
		for _, form := range []struct{ before, after string }{
			{"mcp__" + s.Name + "__", ""}, {"mcp_" + s.Name + "_", ""}, {"", " (" + s.Name + " MCP Server)"},
			{"Tool: " + s.Name + "/", ""}, {s.Name + "/", ""}, {s.Name + ".", ""}, {s.Name + ": ", ""},
		} {
			rest, begins := strings.CutPrefix(title, form.before)
			rest, ends := strings.CutSuffix(rest, form.after)
			if begins && ends && pull.IsName(rest, 128, "_.-") {
				return s.Name, rest
			}
		}
	}
	return "", ""
}
