package driver

// resident is the memory of a process, in bytes.
type resident struct {
	now   int64 // current
	peak  int64 // maximum
	owned int64 // not mapped from a file
}
