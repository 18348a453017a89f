package search

import "encoding/json"

// leading are the first of some things, so many that their JSON has at most so many bytes; one at least.
func leading[T any](all []T, room int) []T {
	for i, v := range all {
		text, err := json.Marshal(v)
		if err != nil {
			return all[:i]
		}
		if room -= len(text) + 1; room < 0 && i > 0 {
			return all[:i]
		}
	}
	return all
}
