package chunking

import "strconv"

// number formats an integer.
func number[N ~int | ~int32 | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }
