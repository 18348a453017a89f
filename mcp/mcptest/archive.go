package mcptest

import "strings"

// section is one file of an archive in the txtar format: a line "-- name --" and
// the text up to the next such line. The text before the first has no name.
type section struct {
	name, text string
	line       int // of the archive, where the text begins
}

// sections splits an archive.
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

func sectionName(line string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	name = strings.TrimSpace(name)
	return name, ok && name != ""
}

// archive puts sections together again.
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
