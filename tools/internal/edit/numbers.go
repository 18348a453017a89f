package edit

import (
	"strconv"
	"strings"
)

// separators stand between the number of a line and the line, where files are shown with numbers.
var separators = [...]string{"→", "\t", ": ", ":", "| ", "|"}

const numberedInPart = "without its line numbers oldText is there, but newText has numbers in some of its lines only"

// withoutNumbers returns the readings of an edit whose Old was copied with line numbers. Either all lines of New are numbered,
// or none.
func withoutNumbers(old, new string) []reading {
	var all []reading
	for _, separator := range separators {
		text, first, ok := unnumber(old, separator)
		if !ok {
			continue
		}
		r := reading{old: text, new: new, by: LineNumbers, line: first}
		if stripped, _, ok := unnumber(new, separator); ok {
			r.new = stripped
		} else if anyNumber(new, separator) {
			r.refused = numberedInPart
		}
		all = append(all, r)
	}
	return all
}

// unnumber takes the numbers from every line of a text, which must be consecutive.
func unnumber(s, separator string) (text string, first int, ok bool) {
	lines := splitLines(s)
	for i, l := range lines {
		n, rest, ok := number(l.text, separator)
		if i == 0 {
			first = n
		}
		if !ok || n != first+i {
			return "", 0, false
		}
		lines[i].text = rest
	}
	return joinLines(lines), first, len(lines) > 0
}

func anyNumber(s, separator string) bool {
	for _, l := range splitLines(s) {
		if _, _, ok := number(l.text, separator); ok {
			return true
		}
	}
	return false
}

// number splits a line into its number and the rest.
func number(line, separator string) (n int, rest string, ok bool) {
	line = strings.TrimLeft(line, blanks)
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	const most = 8
	if digits == 0 || digits > most {
		return 0, "", false
	}
	n, err := strconv.Atoi(line[:digits])
	if err != nil || n == 0 {
		return 0, "", false
	}
	if rest, ok = strings.CutPrefix(line[digits:], separator); ok {
		return n, rest, true
	}
	// The blank that the number of an empty line ends with may have got lost.
	empty := line[digits:] == strings.TrimRight(separator, blanks)
	return n, "", empty
}
