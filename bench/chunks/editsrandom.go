package main

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// Patterns of the places of random edits.
var (
	callLine   = regexp.MustCompile(`^[ \t]*[A-Za-z_$][\w.$]*\([^()]*\);?$`)
	number     = regexp.MustCompile(`\b[1-9]\d{0,3}\b`)
	identifier = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// randomEdit returns an edit of a line of code, which is valid in most places: a comment before the line, the line twice, another
// number, another name, or one bracket or quote less, which is mostly invalid. ok is false if the line has no such place.
func randomEdit(random *rand.Rand, lang source.Language, code string) (old, changed string, ok bool) {
	lines := strings.Split(code, "\n")
	line := strings.TrimRight(lines[random.IntN(len(lines))], "\r")
	text := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(text)]
	if len(text) < 6 || strings.HasPrefix(text, "#") {
		return "", "", false
	}
	at := func(found [][]int) []int { return found[random.IntN(len(found))] }
	switch random.IntN(5) {
	case 0:
		mark := "// "
		if lang == source.Python || lang == source.Ruby {
			mark = "# "
		}
		return line, indent + mark + "checked\n" + line, true
	case 1:
		return line, line + "\n" + line, callLine.MatchString(line)
	case 2:
		if found := number.FindAllStringIndex(text, -1); found != nil {
			m := at(found)
			return text, text[:m[0]] + "7" + text[m[0]:], true
		}
	case 3:
		if found := identifier.FindAllStringIndex(text, -1); found != nil {
			m := at(found)
			return text, text[:m[1]] + "Other" + text[m[1]:], true
		}
	default:
		for _, i := range random.Perm(len(text)) {
			if strings.IndexByte("(){}[]\"'`", text[i]) >= 0 {
				return text, text[:i] + text[i+1:], true
			}
		}
	}
	return "", "", false
}
