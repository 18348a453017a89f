package emacs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// change is what makes one text of another in a buffer.
type change struct {
	Path   string `json:"path"`
	Buffer string `json:"buffer"`
	Tick   int    `json:"tick"`
	Parts  []part `json:"parts"`
	Save   bool   `json:"save"`
}

// part replaces characters, which count from 0.
type part struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// change works out what leads to a text, which has the line ends of the file. It touches no more than what differs, so that markers
// elsewhere stay.
func (d document) change(after string) (change, error) {
	c := change{Buffer: d.Buffer, Tick: d.Tick, Parts: []part{}}
	now := after
	if d.Ending != "\n" {
		now = strings.ReplaceAll(after, d.Ending, "\n")
		if strings.ReplaceAll(now, "\n", d.Ending) != after {
			return c, fmt.Errorf("a line ends otherwise than those of the buffer, which Emacs has no means for: %w", adapter.ErrUnsupported)
		}
	}
	if d.Text == now {
		return c, nil
	}
	old, fresh := strings.SplitAfter(d.Text, "\n"), strings.SplitAfter(now, "\n")
	offset, line := 0, 0 // in characters, of the old text
	for _, s := range textdiff.Compare(old, fresh) {
		for ; line < s.A0; line++ {
			offset += utf8.RuneCountInString(old[line])
		}
		c.Parts = append(c.Parts, narrow(offset, strings.Join(old[s.A0:s.A1], ""), strings.Join(fresh[s.B0:s.B1], "")))
	}
	return c, nil
}

// narrow answers the part that makes one text of another, without what they share at both ends.
func narrow(offset int, old, now string) part {
	head := 0
	for head < len(old) && head < len(now) && old[head] == now[head] {
		head++
	}
	for head > 0 && (head < len(old) && !utf8.RuneStart(old[head]) || head < len(now) && !utf8.RuneStart(now[head])) {
		head--
	}
	start := offset + utf8.RuneCountInString(old[:head])
	old, now = old[head:], now[head:]
	tail := 0
	for tail < len(old) && tail < len(now) && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(old[len(old)-tail]) {
		tail--
	}
	old, now = old[:len(old)-tail], now[:len(now)-tail]
	return part{start, start + utf8.RuneCountInString(old), now}
}
