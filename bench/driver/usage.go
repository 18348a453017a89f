package driver

// resident is what a process has of memory, in bytes.
type resident struct{ now, peak int64 }
