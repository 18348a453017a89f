package emacs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// change is the argument of the request "edit": replacements that turn the text of a buffer into another one.
type change struct {
	Path   string `json:"path"`
	Buffer string `json:"buffer"`
	Tick   int    `json:"tick"`
	Parts  []part `json:"parts"`
	Save   bool   `json:"save"`
}

// part replaces a range of characters, which count from 0.
type part struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// change returns the replacements that turn the buffer's text into after, whose lines end as in the file. Only differing ranges are
// replaced, so that markers elsewhere remain. A line with another line ending is adapter.ErrUnsupported.
func (d document) change(after string) (change, error) {
	c := change{Buffer: d.Buffer, Tick: d.Tick, Parts: []part{}}
	now := after
	if d.Ending != "\n" {
		now = strings.ReplaceAll(after, d.Ending, "\n")
		if strings.ReplaceAll(now, "\n", d.Ending) != after {
			return c, fmt.Errorf("a line has another line ending than the buffer, which Emacs does not support: %w", adapter.ErrUnsupported)
		}
	}
	if d.Text == now {
		return c, nil
	}
	old, fresh := strings.SplitAfter(d.Text, "\n"), strings.SplitAfter(now, "\n")
	offset, line := 0, 0 // offset in characters of the old text
	for _, s := range textdiff.Compare(old, fresh) {
		for ; line < s.A0; line++ {
			offset += utf8.RuneCountInString(old[line])
		}
		c.Parts = append(c.Parts, trimCommon(offset, strings.Join(old[s.A0:s.A1], ""), strings.Join(fresh[s.B0:s.B1], "")))
	}
	return c, nil
}

// trimCommon returns the part that turns old into now, without their common prefix and suffix.
func trimCommon(offset int, old, now string) part {
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
