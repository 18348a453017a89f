package telemetry

import "runtime/metrics"

// readMemory reads the memory statistics of the Go runtime, without stopping the program, and of
// the operating system.
func readMemory() MemoryStats {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(samples)
	bytes := func(s metrics.Sample) int64 {
		if s.Value.Kind() != metrics.KindUint64 {
			return 0 // the runtime does not have this metric
		}
		return int64(s.Value.Uint64())
	}
	return MemoryStats{Heap: bytes(samples[0]), Sys: bytes(samples[1]), RSS: residentMemory()}
}
