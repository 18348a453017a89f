package edit

import "strings"

// search returns the offsets of all matches of a string in text, overlapping ones included. The time is proportional to both
// lengths, even for periodic texts.
func (p *planner) search(text, what string, most int) []int {
	if what == "" || len(what) > len(text) {
		return nil
	}
	back := borders(what)
	var found []int
	same := 0 // number of equal bytes before i
	for i := 0; i < len(text); i++ {
		if same == 0 {
			skip := strings.IndexByte(text[i:], what[0])
			if skip < 0 {
				break
			}
			i += skip
		}
		for same > 0 && text[i] != what[same] {
			same = int(back[same-1])
			p.work++
		}
		if text[i] == what[same] {
			same++
		}
		if same == len(what) {
			found = append(found, i+1-same)
			if len(found) > most {
				break
			}
			same = int(back[same-1])
		}
	}
	p.work += len(text) + len(what)
	return found
}

// borders answers for each beginning of a text how long the longest shorter beginning is that it ends with.
func borders(s string) []int32 {
	back := make([]int32, len(s))
	same := 0
	for i := 1; i < len(s); i++ {
		for same > 0 && s[i] != s[same] {
			same = int(back[same-1])
		}
		if s[i] == s[same] {
			same++
		}
		back[i] = int32(same)
	}
	return back
}
