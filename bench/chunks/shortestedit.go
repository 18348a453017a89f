package main

import (
	"regexp"
	"slices"
	"strings"
)

// tokens matches the units of an old text: words, white space and single other characters.
var tokens = regexp.MustCompile(`\w+|\s+|[^\w\s]`)

// maxGrowth is the maximum number of tokens that shortestEdit adds on a side.
const maxGrowth = 24

// shortestEdit returns the edit with the shortest old text of whole tokens that is unique in a text, has a word and no blanks
// around it, and that makes the same change as was to now. It returns these if there is none.
func shortestEdit(text, was, now string) (string, string) {
	at := strings.Index(text, was)
	if at < 0 {
		return was, now
	}
	// The change begins and ends at the first and last byte that differ.
	first := 0
	for first < min(len(was), len(now)) && was[first] == now[first] {
		first++
	}
	last := 0
	for last < min(len(was), len(now))-first && was[len(was)-1-last] == now[len(now)-1-last] {
		last++
	}
	start, end := at+first, at+len(was)-last
	var starts, ends []int // token bounds at or before start, and at or behind end, the nearest first
	for _, m := range tokens.FindAllStringIndex(text, -1) {
		if m[0] <= start {
			starts = append(starts, m[0])
		}
		if m[0] == start && start == end {
			ends = append(ends, m[0]) // nothing behind an insertion
		}
		if m[1] >= end && m[1] > start {
			ends = append(ends, m[1])
		}
		if len(ends) > maxGrowth {
			break
		}
	}
	slices.Reverse(starts)
	best, bestNow := was, now
	for _, from := range starts[:min(len(starts), maxGrowth)] {
		for _, to := range ends[:min(len(ends), maxGrowth)] {
			old := text[from:to]
			if len(old) < len(best) && strings.TrimSpace(old) == old && strings.ContainsFunc(old, isWordRune) && strings.Count(text, old) == 1 {
				best, bestNow = old, text[from:start]+now[first:len(now)-last]+text[end:to]
			}
		}
	}
	return best, bestNow
}

func isWordRune(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
