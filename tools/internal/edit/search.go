package edit

import "strings"

// search answers where what stands in text, places that overlap included. The work is proportional to both lengths,
// whatever they hold; strings.Index can be made to take their product. It stops at more than most places.
func (p *planner) search(text, what string, most int) []int {
	if what == "" || len(what) > len(text) {
		return nil
	}
	back := borders(what)
	var found []int
	same := 0 // how many bytes of what stand in front of i
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
