package telemetry

import (
	"os"
	"strconv"
	"strings"
)

// residentMemory returns the resident set size of the process in bytes, or 0 if /proc is not
// readable.
func residentMemory() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data)) // all pages, resident pages …
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
