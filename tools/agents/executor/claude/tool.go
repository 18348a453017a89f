package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

const (
	maxOpen = 1024 // calls that are at work
	maxPath = 4096 // bytes of the path of a file
)

// opened is a call of a tool that has not ended: what its result does not repeat.
type opened struct{ kind, server, name, path string }

// start reads the beginning of a call.
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

// path is the file that a call is about.
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

// complete reads the end of a call.
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

// patch is what the result of an edit tells beside its text.
type patch struct {
	kind  string // "create" or "update"
	fresh bool   // there was no file before
	hunks strings.Builder
}

// read reads the result of a tool as the program has it for itself.
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

// hunk reads a stretch of changes.
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

// diff is the change as a unified diff, "" if it is not told.
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
