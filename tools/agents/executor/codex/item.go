package codex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

// Limits of an item.
const (
	maxChanges = 1000    // files of one item
	maxPath    = 4096    // bytes of a path
	maxTodos   = 4 << 10 // bytes of the current step of a plan
)

// item is one action of the agent: a message, a thought, a warning, a plan or a tool call.
type item struct {
	id, kind, status string
	text             string // text of a message, a thought, a warning or a plan
	output, wrong    string
	code             string // exit code of a command; empty if there is none
	server, tool     string
	args             []byte   // arguments of an MCP tool; a part of the line
	rest             []member // members that become the arguments of other tools
	changes          []executor.FileChange
}

// member is a member of a JSON object, with its value unparsed.
type member struct {
	name  string
	value []byte
}

// read reads an item.
func (i *item) read(s *pull.Scanner) {
	s.Object(func(key []byte) {
		switch name := string(key); name {
		case "id":
			i.id = s.Name()
		case "type":
			i.kind = s.Name()
		case "status":
			i.status = s.Name()
		case "text", "message":
			i.text = s.Text()
		case "aggregated_output":
			i.output = s.Text()
		case "exit_code":
			if code, err := strconv.Atoi(string(s.Raw())); err == nil {
				i.code = strconv.Itoa(code)
			}
		case "server":
			i.server = s.Name()
		case "tool":
			i.tool = s.Name()
		case "arguments":
			i.args = s.Raw()
		case "error":
			i.wrong = wrong(s)
		case "changes":
			raw := s.Raw()
			i.rest = append(i.rest, member{name, raw})
			i.readChanges(pull.New(raw))
		case "items":
			i.text = todos(s)
		case "command", "query", "action", "prompt":
			i.rest = append(i.rest, member{name, s.Raw()})
		default:
			s.Skip()
		}
	})
}

// readChanges reads the files of a file_change. It ignores unknown kinds, invalid paths and
// all files after maxChanges.
func (i *item) readChanges(s *pull.Scanner) {
	kinds := map[string]string{"add": "created", "delete": "deleted", "update": "edited"}
	s.Array(func() {
		var c executor.FileChange
		s.Object(func(key []byte) {
			switch string(key) {
			case "path":
				c.Path = s.Text()
			case "kind":
				c.Kind = kinds[s.Name()]
			default:
				s.Skip()
			}
		})
		if c.Path != "" && c.Kind != "" && len(c.Path) <= maxPath && !strings.ContainsRune(c.Path, 0) && len(i.changes) < maxChanges {
			i.changes = append(i.changes, c)
		}
	})
}

// todos summarizes a plan: the number of completed steps and the first open one.
func todos(s *pull.Scanner) string {
	next, done, all := "", 0, 0
	s.Array(func() {
		text, completed := "", false
		s.Object(func(key []byte) {
			switch string(key) {
			case "text":
				text = s.Text()
			case "completed":
				completed = s.Bool()
			default:
				s.Skip()
			}
		})
		all++
		if completed {
			done++
		} else if next == "" {
			next = pull.Clip(text, maxTodos)
		}
	})
	return strings.TrimSpace(fmt.Sprintf("%d of %d steps are done. %s", done, all, next))
}

// started returns the data for the start of the call.
func (i *item) started() *executor.Tool {
	t := i.toolOf()
	most := pull.MaxArgs
	switch {
	case i.kind == "mcp_tool_call":
		most = pull.MaxMCPArgs
		t.Args = i.args
	case len(i.rest) > 0:
		t.Args = object(i.rest)
	}
	t.Args = slices.Clone(command.Shorten(t.Args, most))
	return t
}

// completed returns the data for the end of the call.
func (i *item) completed() *executor.Tool {
	t := i.toolOf()
	t.Failed = i.status == "failed" || i.status == "declined"
	if !t.Failed {
		t.Changes = i.changes
		return t
	}
	switch {
	case i.wrong != "":
		t.Error = i.wrong
	case i.status == "declined":
		t.Error = "declined"
	case i.code != "":
		t.Error = strings.TrimSuffix("exit code "+i.code+": "+lastOf(i.output), ": ")
	default:
		t.Error = lastOf(i.output)
	}
	t.Error = pull.Clip(t.Error, pull.MaxError)
	return t
}

// toolOf returns the data that identifies the call.
func (i *item) toolOf() *executor.Tool {
	t := &executor.Tool{CallID: i.id, Type: i.kind}
	if i.kind == "mcp_tool_call" {
		t.Server, t.Name = i.server, i.tool
	}
	return t
}

// object returns a JSON object with the given members.
func object(members []member) []byte {
	b := []byte{'{'}
	for n, m := range members {
		if n > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, m.name)
		b = append(append(b, ':'), m.value...)
	}
	return append(b, '}')
}

// lastOf returns the end of an output, where most programs print the error.
func lastOf(output string) string {
	output = strings.TrimSpace(output)
	if most := pull.MaxError / 2; len(output) > most {
		output = "…" + strings.ToValidUTF8(output[len(output)-most:], "")
	}
	return output
}
