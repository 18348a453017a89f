package driver

// resident is what a process has of memory, in bytes.
type resident struct {
	now   int64 // all of it
	peak  int64 // the most that it ever was
	owned int64 // what is not mapped from a file, such as the program
}
