package editor

import (
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	maxHistory  = 1024 // recorded changes
	maxFollowed = 64   // changes through which lines are followed
)

// pastChange is a change by these tools. It maps lines of the former content to the present ones.
type pastChange struct {
	from  string // digest of the former content
	hunks []hunk
}

// hunk is a changed range of lines, from first up to but not including end. Later lines moved by moved.
type hunk struct{ first, end, moved int }

func historyKey(path, sha256 string) string { return path + "\x00" + sha256 }

// recordChange records the hunks of a change.
func (e *Editor) recordChange(p *pendingFile) {
	if p.original == nil || p.removed || len(p.edits) == 0 || p.sha256 == p.original.sha256 {
		return
	}
	e.history.put(historyKey(p.path, p.sha256), pastChange{p.original.sha256, hunksOf(p.original.text.Content, p.edits)})
}

func hunksOf(content string, edits []textfile.Edit) []hunk {
	text := adapter.NewText(content)
	hunks := make([]hunk, len(edits))
	for i, e := range edits {
		start, end := text.Position(e.Start), text.Position(e.End)
		h := hunk{first: start.Line, end: end.Line, moved: countLineBreaks(e.New) - countLineBreaks(content[e.Start:e.End])}
		if start.Column > 1 || end.Column > 1 || e.New != "" && !strings.HasSuffix(e.New, "\n") {
			h.end++
		}
		hunks[i] = h
	}
	return hunks
}

// countLineBreaks counts LF, CR and CRLF.
func countLineBreaks(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// followLines returns the number of lines by which a line range of content from has moved in content to. ok is false if other
// programs changed the file in between or the lines themselves were changed.
func (e *Editor) followLines(path, from, to string, first, last int) (moved int, ok bool) {
	var steps []pastChange
	for at := strings.ToLower(to); !strings.HasPrefix(at, strings.ToLower(from)); {
		s, known := e.history.get(historyKey(path, at))
		if !known || len(steps) == maxFollowed {
			return 0, false
		}
		steps = append(steps, s)
		at = s.from
	}
	for i := len(steps) - 1; i >= 0; i-- {
		by := 0
		for _, h := range steps[i].hunks {
			switch {
			case h.end <= first+moved:
				by += h.moved
			case h.first <= last+moved:
				return 0, false
			}
		}
		moved += by
	}
	return moved, true
}
