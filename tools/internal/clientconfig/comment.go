package clientconfig

import "github.com/dougu-go/dougu/tools/internal/jsonc"

// comments returns the beginnings and ends of the comments in the text between two values.
func comments(extra []byte) [][2]int {
	var all [][2]int
	for i := 0; i < len(extra); {
		n := jsonc.CommentLength(extra[i:])
		if n == 0 {
			i++
			continue
		}
		all = append(all, [2]int{i, i + n})
		i += n
	}
	return all
}

// lastComment returns the end of the last comment, or 0. line reports that it extends to the end of
// its line.
func lastComment(extra []byte) (end int, line bool) {
	all := comments(extra)
	if len(all) == 0 {
		return 0, false
	}
	last := all[len(all)-1]
	return last[1], extra[last[0]+1] == '/'
}
