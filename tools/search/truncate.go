package search

import "encoding/json"

// truncateJSON returns the first elements of all whose JSON has at most maxBytes bytes in total, and at least one element.
func truncateJSON[T any](all []T, maxBytes int) []T {
	for i, v := range all {
		text, err := json.Marshal(v)
		if err != nil {
			return all[:i]
		}
		if maxBytes -= len(text) + 1; maxBytes < 0 && i > 0 {
			return all[:i]
		}
	}
	return all
}
