//go:build !linux

package telemetry

// residentMemory returns 0: the resident set size is not available without cgo.
func residentMemory() int64 { return 0 }
