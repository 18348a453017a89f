package editor

import (
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	maxSteps  = 1024 // changes that are remembered
	mostSteps = 64   // that lines are followed through
)

// step is a change that these tools have made of a file. It tells where the lines of its former content are now.
type step struct {
	from  string // digest of the former content
	hunks []hunk
}

// hunk says that the lines from first on, before end, were touched, and that those behind them moved.
type hunk struct{ first, end, moved int }

func stepKey(path, sha256 string) string { return path + "\x00" + sha256 }

// remember notes what a change has done to the lines of a file.
func (e *Editor) remember(p *pending) {
	if p.was == nil || p.removed || len(p.edits) == 0 || p.sha256 == p.was.sha256 {
		return
	}
	e.trail.put(stepKey(p.path, p.sha256), step{p.was.sha256, hunksOf(p.was.text.Content, p.edits)})
}

func hunksOf(content string, edits []textfile.Edit) []hunk {
	text := adapter.NewText(content)
	hunks := make([]hunk, len(edits))
	for i, e := range edits {
		start, end := text.Position(e.Start), text.Position(e.End)
		h := hunk{first: start.Line, end: end.Line, moved: breaks(e.New) - breaks(content[e.Start:e.End])}
		if start.Column > 1 || end.Column > 1 || e.New != "" && !strings.HasSuffix(e.New, "\n") {
			h.end++
		}
		hunks[i] = h
	}
	return hunks
}

// breaks counts line ends.
func breaks(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// follow finds lines of a former content of a file in its present one: they have moved by so many. ok is false if that is not
// certain: the former content was not changed by these tools alone, or not outside of these lines alone.
func (e *Editor) follow(path, from, to string, first, last int) (moved int, ok bool) {
	var steps []step
	for at := strings.ToLower(to); at != strings.ToLower(from); {
		s, known := e.trail.get(stepKey(path, at))
		if !known || len(steps) == mostSteps {
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
