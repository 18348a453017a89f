// Package probe lets the driver look into a server that it measures: what the
// Go runtime of that process holds once all garbage is gone. It is served on a
// port of its own, beside the server and not through it.
package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/pprof"
	"runtime"
	"runtime/debug"
)

// Stats is what a process holds.
type Stats struct {
	Goroutines int   `json:"goroutines"`
	Heap       int64 `json:"heapBytes"`  // of objects in use
	Stack      int64 `json:"stackBytes"` // of goroutines' stacks
}

// Take collects garbage, gives free memory back to the system, and returns what
// is left. What the system counts for the process is best read right after it.
func Take() Stats {
	runtime.GC() // finalizers of this one may free what the next one finds
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Stats{Goroutines: runtime.NumGoroutine(), Heap: int64(m.HeapAlloc), Stack: int64(m.StackInuse)}
}

// Handler answers every request with what Take returns, as JSON, and those
// below /debug/pprof/ with profiles.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(Take()) // to a driver that is gone there is nothing to say
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// Ask returns what Handler says at url.
func Ask(ctx context.Context, url string) (Stats, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Stats{}, fmt.Errorf("ask the probe: %w", err)
	}
	request.Close = true // a kept connection would be a part of what is measured
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return Stats{}, fmt.Errorf("ask the probe: %w", err)
	}
	defer response.Body.Close()
	var stats Stats
	if err := json.NewDecoder(response.Body).Decode(&stats); err != nil {
		return Stats{}, fmt.Errorf("read what the probe says: %w", err)
	}
	return stats, nil
}
