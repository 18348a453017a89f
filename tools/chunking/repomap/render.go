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

// bytesPerToken is fewer than code has on average, so that a budget holds with
// every model.
const bytesPerToken = 3

// Tokens estimates, rather too high than too low, how many tokens a text is.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// maxLine bounds one declaration in a map, in bytes.
const maxLine = 120

// Render shows the first, most important declarations that have room in a budget of
// tokens: by file, the file with the most important one first, and in a file by
// line. shown is how many there are in the text.
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

// line is a declaration with its line, and what it belongs to unless the
// signature says it; "" if what is in the file cannot be had.
func line(r Ranked) string {
	parsed, err := r.File.Parsed()
	if err != nil {
		return ""
	}
	c := &parsed.Chunks[r.Chunk]
	text := c.Signature
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
