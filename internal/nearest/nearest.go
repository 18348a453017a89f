// Package nearest finds the name that was probably meant, for errors that end
// in "did you mean".
package nearest

import (
	"strings"
	"unicode"
)

// longest is the longest name that is compared, in bytes.
const longest = 64

// Name is the known name that differs from name by the fewest edits, or "" if
// all differ by more than about a third. Case and separators do not count.
func Name(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	best, fewest := "", min(len(name)/3+1, 4)
	folded := plain(name)
	for _, k := range known {
		if len(k) > longest {
			continue
		}
		if d := Distance(folded, plain(k)); d < fewest {
			best, fewest = k, d
		}
	}
	return best
}

// plain removes the characters in which similar names usually differ.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// Distance is the number of insertions, deletions, replacements and exchanges of
// neighbours that lead from a to b, counted in runes.
func Distance(a, b string) int {
	var short [2 * (longest + 1)]rune
	s := appendRunes(short[:0:longest+1], a)
	t := appendRunes(short[longest+1:longest+1], b)
	var rows [3][longest + 1]int
	older, old, row := rows[0][:], rows[1][:], rows[2][:]
	if len(t) > longest {
		older, old, row = make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	}
	for j := range t {
		old[j+1] = j + 1
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(old[j+1]+1, row[j]+1, old[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(t)]
}

func appendRunes(to []rune, s string) []rune {
	for _, r := range s {
		to = append(to, r)
	}
	return to
}
