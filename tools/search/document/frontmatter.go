package document

import (
	"bytes"
	"strings"
)

// maxFrontMatter is the maximum length of front matter, in bytes.
const maxFrontMatter = 16 << 10

// frontMatter returns the title in the front matter of a document, delimited by lines of "---" or "+++", and the offset behind
// it.
func frontMatter(text []byte) (title string, start int) {
	mark := ""
	for at, line := range textLines(text[:min(len(text), maxFrontMatter)]) {
		s := strings.TrimRight(strings.TrimPrefix(string(line), "\uFEFF"), " \t")
		switch {
		case at == 0 && (s == "---" || s == "+++"):
			mark = s
		case at == 0:
			return "", 0
		case s == mark || mark == "---" && s == "...":
			return title, at + len(line)
		case title == "":
			title = titleOf(line)
		}
	}
	return "", 0
}

// titleOf returns the title that a line of YAML or TOML sets.
func titleOf(line []byte) string {
	rest, ok := bytes.CutPrefix(line, []byte("title"))
	rest = bytes.TrimLeft(rest, " \t")
	if !ok || len(rest) < 2 || rest[0] != ':' && rest[0] != '=' {
		return ""
	}
	return strings.Trim(string(bytes.TrimSpace(rest[1:])), `"'`)
}
