package chunking

import "strconv"

// number writes a number of any type.
func number[N ~int | ~int32 | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// count writes a number of things: "1 caller", "2 callers".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return number(n) + " " + noun
}
