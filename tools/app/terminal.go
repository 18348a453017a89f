package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

const (
	// defaultColumns is the width of texts for files and pipes, in characters.
	defaultColumns = 100
	// maxNameColumns is the width of the first column of a table of writeRows. A longer name
	// has a line of its own.
	maxNameColumns = 28
)

// outputColumns returns the width of a terminal in characters, or defaultColumns if w is no
// terminal.
func outputColumns(w io.Writer) int {
	file := terminalOf(w)
	if file == nil {
		return defaultColumns
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns <= 0 {
		return defaultColumns
	}
	return max(columns, 40)
}

// writeRows writes a table of names and texts. Texts are wrapped at the width columns.
func writeRows(w io.Writer, rows [][2]string, columns int) {
	widest := 0
	for _, row := range rows {
		if n := textColumns(row[0]); n <= maxNameColumns {
			widest = max(widest, n)
		}
	}
	indent := strings.Repeat(" ", widest+4)
	var b strings.Builder
	for _, row := range rows {
		lines := wrap(row[1], columns-widest-4)
		name := "  " + row[0]
		if n := textColumns(row[0]); n > widest {
			b.WriteString(name + "\n")
			name = indent
		} else {
			name += strings.Repeat(" ", widest-n+2)
		}
		for i, line := range lines {
			if i > 0 {
				name = indent
			}
			b.WriteString(strings.TrimRight(name+line, " ") + "\n")
		}
	}
	_, _ = io.WriteString(w, b.String()) // an output that is closed needs no help
}

// wrap divides a text into lines of at most columns characters, between words. It returns at
// least one line.
func wrap(text string, columns int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case textColumns(*last)+1+textColumns(word) <= columns:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// textColumns returns the width of a text on a terminal, in cells. East Asian wide characters
// take two.
func textColumns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// terminalOf returns the terminal that w writes to, also above a line of progress. It returns nil for
// files, pipes and other writers.
func terminalOf(w io.Writer) *os.File {
	if above, ok := w.(lineWriter); ok {
		w = above.w
	}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// forTerminal returns a text for standard output. On a terminal, paths below the user's home
// directory begin with "~"; files and pipes get them in full.
func (a *App) forTerminal(text string) string {
	home := a.environment().Home
	if home == "" || home == filepath.Dir(home) || terminalOf(a.Stdout) == nil {
		return text
	}
	separator := string(filepath.Separator)
	return strings.ReplaceAll(text, strings.TrimSuffix(home, separator)+separator, "~"+separator)
}

// printWrapped prints a text to standard output. On a terminal, lines are broken between words, and
// all but the first begin with indent spaces.
func (a *App) printWrapped(text string, indent int) {
	if terminalOf(a.Stdout) == nil {
		fmt.Fprintln(a.Stdout, text)
		return
	}
	lines := wrap(a.forTerminal(text), outputColumns(a.Stdout)-indent)
	fmt.Fprintln(a.Stdout, strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
}
