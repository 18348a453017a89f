package chunking

import "strconv"

// number formats an integer.
func number[N ~int | ~int32 | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// count formats a number of objects: "1 caller", "2 callers".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return number(n) + " " + noun
}
