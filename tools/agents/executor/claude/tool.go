package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

// Limits of tool calls.
const (
	maxOpen = 1024 // entries of Decoder.open
	maxPath = 4096 // bytes of a path
)

// opened is the data of a call that its result does not repeat.
type opened struct{ kind, server, name, path string }

// start records a call and returns the data of its start.
func (d *Decoder) start(b block) *executor.Tool {
	t := &executor.Tool{CallID: b.id, Type: b.name}
	most := pull.MaxArgs
	if rest, ok := strings.CutPrefix(b.name, "mcp__"); ok {
		t.Server, t.Name, _ = strings.Cut(rest, "__")
		most = pull.MaxMCPArgs
	}
	t.Args = slices.Clone(command.Shorten(b.input, most))
	if len(d.open) < maxOpen {
		d.open[b.id] = opened{t.Type, t.Server, t.Name, path(b.input)}
	}
	return t
}

// path returns the file that the arguments name; empty if there is none or the path is
// invalid.
func path(input []byte) (file string) {
	s := pull.New(input)
	s.Object(func(key []byte) {
		switch string(key) {
		case "file_path", "notebook_path":
			file = s.Text()
		default:
			s.Skip()
		}
	})
	if len(file) > maxPath || strings.ContainsRune(file, 0) {
		return ""
	}
	return file
}

// complete removes a call from the open ones and returns the data of its end.
func (d *Decoder) complete(b block, p *patch) *executor.Tool {
	call := d.open[b.id]
	delete(d.open, b.id)
	t := &executor.Tool{CallID: b.id, Type: call.kind, Server: call.server, Name: call.name, Failed: b.failed}
	if t.Failed {
		t.Error = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.text), "<tool_use_error>"), "</tool_use_error>"))
		return t
	}
	kind := "edited"
	switch call.kind {
	case "Edit", "MultiEdit", "NotebookEdit":
	case "Write":
		if p.fresh || p.kind == "create" || p.kind == "" && strings.Contains(b.text, "created successfully") {
			kind = "created"
		}
	default:
		return t
	}
	if call.path != "" {
		t.Changes, t.Diff = []executor.FileChange{{Path: call.path, Kind: kind}}, p.diff(call.path, kind)
	}
	return t
}

// patch is the structured result of an edit.
type patch struct {
	kind  string // "create" or "update"
	fresh bool   // the file did not exist before
	hunks strings.Builder
}

// read reads the structured result of a tool (tool_use_result).
func (p *patch) read(s *pull.Scanner) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			p.kind = s.Name()
		case "originalFile":
			p.fresh = s.Peek() == 'n'
			s.Skip()
		case "structuredPatch":
			s.Array(func() { p.hunk(s) })
		default:
			s.Skip()
		}
	})
}

// hunk reads one hunk of the diff. A hunk that exceeds pull.MaxDiff is left out.
func (p *patch) hunk(s *pull.Scanner) {
	var oldStart, oldLines, newStart, newLines int64
	var lines strings.Builder
	s.Object(func(key []byte) {
		switch string(key) {
		case "oldStart":
			oldStart = s.Int()
		case "oldLines":
			oldLines = s.Int()
		case "newStart":
			newStart = s.Int()
		case "newLines":
			newLines = s.Int()
		case "lines":
			s.Array(func() {
				if text := s.Text(); lines.Len()+len(text) < pull.MaxDiff {
					lines.WriteString(text)
					lines.WriteByte('\n')
				}
			})
		default:
			s.Skip()
		}
	})
	if p.hunks.Len()+lines.Len() < pull.MaxDiff {
		fmt.Fprintf(&p.hunks, "@@ -%d,%d +%d,%d @@\n%s", oldStart, oldLines, newStart, newLines, lines.String())
	}
}

// diff returns the unified diff; empty if the result has no hunks.
func (p *patch) diff(file, kind string) string {
	if p.hunks.Len() == 0 {
		return ""
	}
	from := "a/" + strings.TrimPrefix(file, "/")
	if kind == "created" {
		from = "/dev/null"
	}
	return pull.Clip("--- "+from+"\n+++ b/"+strings.TrimPrefix(file, "/")+"\n"+p.hunks.String(), pull.MaxDiff)
}
