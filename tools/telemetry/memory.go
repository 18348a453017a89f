package telemetry

import "runtime/metrics"

// readMemory asks the runtime, which need not stop for that, and the system.
func readMemory() MemoryStats {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(samples)
	bytes := func(s metrics.Sample) int64 {
		if s.Value.Kind() != metrics.KindUint64 {
			return 0 // a runtime that does not know it
		}
		return int64(s.Value.Uint64())
	}
	return MemoryStats{Heap: bytes(samples[0]), Sys: bytes(samples[1]), RSS: residentMemory()}
}
