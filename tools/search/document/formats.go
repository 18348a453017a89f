package document

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// rstHeadings returns the headings of reStructuredText: lines that are underlined, or underlined and overlined. Adornment
// styles get levels in the order of their first use.
func rstHeadings(text []byte) (title string, all []heading) {
	var styles []string
	level := func(style string) int {
		for i, known := range styles {
			if known == style {
				return i + 1
			}
		}
		styles = append(styles, style)
		return len(styles)
	}
	var two, one []byte // the lines before
	twoAt, oneAt := 0, 0
	for at, line := range textLines(text) {
		line = bytes.TrimRight(line, " \t")
		if c := adornment(line); c != 0 && adornment(one) == 0 && hasWords(one) && len(line) >= utf8.RuneCount(bytes.TrimSpace(one)) {
			name, start, style := strings.TrimSpace(string(one)), oneAt, string(c)
			over := adornment(two) == c && len(two) == len(line)
			if over {
				start, style = twoAt, style+style
			}
			if over || one[0] != ' ' && one[0] != '\t' {
				all = append(all, heading{at: start, level: level(style), title: name})
				line = nil
			}
		}
		two, twoAt, one, oneAt = one, oneAt, line, at
	}
	return "", all
}

// adornment returns the punctuation character that a line consists of, or 0 if it is no adornment of a heading.
func adornment(line []byte) byte {
	if len(line) < 3 || strings.IndexByte("=-~^\"'`#*+.:_<>", line[0]) < 0 || len(bytes.Trim(line, string(line[:1]))) > 0 {
		return 0
	}
	return line[0]
}

// asciidocHeadings returns the headings of AsciiDoc, which begin with "=", outside of delimited blocks.
func asciidocHeadings(text []byte) (title string, all []heading) {
	block := ""
	for at, line := range textLines(text) {
		line = bytes.TrimRight(line, " \t")
		if len(line) > 3 && strings.IndexByte("-.=+/*_", line[0]) >= 0 && len(bytes.Trim(line, string(line[:1]))) == 0 {
			switch block {
			case "":
				block = string(line)
			case string(line):
				block = ""
			}
			continue
		}
		if block == "" && len(line) > 0 && line[0] == '=' {
			if level, name := parseMarkedHeading(line, '='); level > 0 && level <= 6 && len(name) > 0 {
				all = append(all, heading{at: at, level: level, title: headingText(name)})
			}
		}
	}
	return "", all
}

// orgHeadings returns the headings of Org mode.
func orgHeadings(text []byte) (title string, all []heading) {
	for at, line := range textLines(text) {
		switch {
		case len(line) > 0 && line[0] == '*':
			if level, name := parseMarkedHeading(line, '*'); level > 0 && len(name) > 0 {
				all = append(all, heading{at: at, level: min(level, 12), title: string(name)})
			}
		case title == "" && len(line) > 8 && strings.EqualFold(string(line[:8]), "#+title:"):
			title = string(bytes.TrimSpace(line[8:]))
		}
	}
	return title, all
}

// latexHeadings returns the sectioning commands of LaTeX.
func latexHeadings(text []byte) (title string, all []heading) {
	for at, line := range textLines(text) {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 || line[0] != '\\' {
			continue
		}
		command, rest, found := strings.Cut(string(line[1:min(len(line), 1<<10)]), "{")
		if !found {
			continue
		}
		name, _, _ := strings.Cut(rest, "}")
		command, _, _ = strings.Cut(strings.TrimSuffix(command, "*"), "[")
		if command == "title" {
			title = name
		}
		if level := latexLevels[command]; level > 0 {
			all = append(all, heading{at: at, level: level, title: name})
		}
	}
	return title, all
}

// latexLevels are the sectioning commands with their levels.
var latexLevels = map[string]int{"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6}

// manualHeadings returns the sections of a manual page, in the macro packages man and mdoc.
func manualHeadings(text []byte) (title string, all []heading) {
	for at, line := range textLines(text) {
		if len(line) < 4 || line[0] != '.' {
			continue
		}
		name := strings.Trim(string(bytes.TrimSpace(line[3:])), `"`)
		switch string(line[:3]) {
		case ".TH", ".Dt":
			if title == "" {
				title, _, _ = strings.Cut(name, " ")
				title = strings.ToLower(strings.Trim(title, `"`))
			}
		case ".SH", ".Sh":
			all = append(all, heading{at: at, level: 1, title: name})
		case ".SS", ".Ss":
			all = append(all, heading{at: at, level: 2, title: name})
		}
	}
	return title, all
}

// tomlHeadings returns the tables of TOML, and the sections of INI files.
func tomlHeadings(text []byte) (title string, all []heading) {
	for at, line := range textLines(text) {
		if len(line) < 3 || line[0] != '[' {
			continue
		}
		name, rest, found := strings.Cut(strings.TrimLeft(string(line), "["), "]")
		if found && hasWords([]byte(name)) && !hasWords([]byte(strings.SplitN(rest, "#", 2)[0])) {
			all = append(all, heading{at: at, level: 1, title: name})
		}
	}
	return "", all
}

// shortData is the number of lines up to which a YAML file is one piece.
const shortData = 60

// yamlHeadings returns the top-level keys of YAML files with at least shortData lines.
func yamlHeadings(text []byte) (title string, all []heading) {
	if bytes.Count(text, lineFeed) < shortData {
		return "", nil
	}
	for at, line := range textLines(text) {
		if len(line) < 2 || strings.IndexByte(" \t-#%}]", line[0]) >= 0 {
			continue
		}
		name, _, found := strings.Cut(string(line[:min(len(line), maxName)]), ":")
		if name = strings.Trim(name, `"' `); found && hasWords([]byte(name)) {
			all = append(all, heading{at: at, level: 1, title: name})
		}
	}
	return "", all
}
