//go:build !linux

package telemetry

// residentMemory is 0: the system does not tell it without cgo.
func residentMemory() int64 { return 0 }
