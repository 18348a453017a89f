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

const (
	maxChanges = 1000 // files of one change
	maxPath    = 4096 // bytes of the path of a file
	maxTodos   = 4 << 10
)

// item is a thing that the agent does.
type item struct {
	id, kind, status string
	text             string // of a message, a thought, a warning, or the steps that remain
	output, wrong    string
	code             string // the exit code of a command, as a number
	server, tool     string
	args             []byte   // of an MCP tool, a part of the line
	rest             []member // other members that say what is done
	changes          []executor.FileChange
}

// member is a member of an object, as it stands.
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

// readChanges reads the files of a change.
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

// todos reads a list of steps: the first that is not done, and how many are.
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

// started is the call at its beginning.
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

// completed is the call at its end.
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

// toolOf is what names the call.
func (i *item) toolOf() *executor.Tool {
	t := &executor.Tool{CallID: i.id, Type: i.kind}
	if i.kind == "mcp_tool_call" {
		t.Server, t.Name = i.server, i.tool
	}
	return t
}

// object is an object with the members as they stand.
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

// lastOf is the end of an output, where programs say what was wrong.
func lastOf(output string) string {
	output = strings.TrimSpace(output)
	if most := pull.MaxError / 2; len(output) > most {
		output = "…" + strings.ToValidUTF8(output[len(output)-most:], "")
	}
	return output
}
