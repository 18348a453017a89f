package mcptest

import "strings"

// section is one file of an archive in the txtar format: a line "-- name --" and the text up to the
// next such line. The text before the first line has no name.
type section struct {
	name, text string
	line       int // line number in the archive at which the text begins
}

// sections splits an archive into its sections.
func sections(archive string) []section {
	all := []section{{line: 1}}
	number := 1
	for line := range strings.Lines(archive) {
		number++
		if name, ok := sectionName(line); ok {
			all = append(all, section{name: name, line: number})
			continue
		}
		all[len(all)-1].text += line
	}
	return all
}

// sectionName returns the name in a line "-- name --".
func sectionName(line string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	name = strings.TrimSpace(name)
	return name, ok && name != ""
}

// archive joins sections into an archive.
func archive(all []section) string {
	var text strings.Builder
	for _, s := range all {
		if s.name != "" {
			text.WriteString("-- " + s.name + " --\n")
		}
		text.WriteString(s.text)
	}
	return text.String()
}
