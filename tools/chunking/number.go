package chunking

import "strconv"

// number writes a number of any type.
func number[N ~int | ~int32 | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }
