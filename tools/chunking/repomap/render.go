package repomap

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// bytesPerToken is lower than the average of code, so that a budget holds with every model.
const bytesPerToken = 3

// Tokens returns an upper estimate of the number of tokens in a text.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// maxLine limits one declaration in a map, in bytes.
const maxLine = 80

// Render renders the most important declarations that fit in a budget of tokens. They are
// grouped by file, the file with the most important declaration first, and sorted by line
// within a file. shown is the number of rendered declarations, too. It stops after 50
// declarations that do not fit.
func Render(ranked iter.Seq[Ranked], tokens int) (text string, shown int) {
	room := tokens * bytesPerToken
	type section struct {
		path  string
		items []Ranked
	}
	sections := map[string]*section{}
	var ordered []*section
	misses := 0
	for r := range ranked {
		text := line(r)
		if text == "" {
			continue
		}
		size := len(text)
		s, ok := sections[r.File.Path]
		if !ok {
			size += len(r.File.Path) + len(":\n")
		}
		if size > room {
			if misses++; misses > 50 {
				break
			}
			continue
		}
		room -= size
		if !ok {
			s = &section{path: r.File.Path}
			sections[r.File.Path] = s
			ordered = append(ordered, s)
		}
		s.items = append(s.items, r)
		shown++
	}
	var b strings.Builder
	for _, s := range ordered {
		b.WriteString(s.path + ":\n")
		slices.SortFunc(s.items, func(x, y Ranked) int { return cmp.Compare(x.Chunk, y.Chunk) })
		for _, r := range s.items {
			b.WriteString(line(r))
		}
	}
	return b.String(), shown
}

// line returns the line of a declaration: its line number and signature, with the enclosing
// declaration unless the signature names it. It returns "" if the parse result cannot be
// loaded.
func line(r Ranked) string {
	parsed, err := r.File.Parsed()
	if err != nil {
		return ""
	}
	c := &parsed.Chunks[r.Chunk]
	text := c.Signature
	if at := strings.IndexByte(text, '{'); at > 0 && c.Kind.IsType() {
		text = text[:at] + "{…}"
	}
	if c.Container != "" && (r.File.Language != source.Go || !strings.HasPrefix(text, "func (")) {
		text = c.Container + ": " + text
	}
	if len(text) > maxLine {
		cut := maxLine
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return "  " + strconv.Itoa(int(c.Line)) + " " + text + "\n"
}
