//go:build unix

package screencast

import (
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Screen is the content of a terminal at one time.
type Screen struct {
	columns int
	rows    [][]cell
}

// cell is a character of a screen, of one or two columns.
type cell struct {
	text    string
	columns int
	style   uv.Style
}

// Lines returns the text of each row, without spaces at its end.
func (s Screen) Lines() []string {
	lines := make([]string, len(s.rows))
	for i, row := range s.rows {
		var b strings.Builder
		for _, c := range row {
			b.WriteString(c.text)
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// String returns the lines up to the last one with a text.
func (s Screen) String() string { return strings.TrimRight(strings.Join(s.Lines(), "\n"), "\n") }

// Contains reports whether the screen has a text. White space and line breaks do not count.
func (s Screen) Contains(text string) bool {
	return strings.Contains(Squeeze(s.String()), Squeeze(text))
}

// Squeeze removes the white space of a text, because screens break lines at other places.
func Squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// isBlank reports whether a cell shows nothing.
func (c cell) isBlank() bool {
	return strings.TrimSpace(c.text) == "" && c.style.Bg == nil && c.style.Attrs&uv.AttrReverse == 0 && c.style.Underline == 0
}

// colors returns the colors of a cell as they are drawn; nil stands for the color of the terminal.
func (c cell) colors() (text, background color.Color) {
	text, background = c.style.Fg, c.style.Bg
	if c.style.Attrs&uv.AttrReverse != 0 {
		text, background = background, text
		if text == nil {
			text = terminalBackground
		}
		if background == nil {
			background = terminalText
		}
	}
	return text, background
}
