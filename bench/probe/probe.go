// Package probe reports the memory of a measured server from inside its process, after a garbage collection. It listens on a port
// of its own, independent of the measured server.
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

// Stats is the memory of a process.
type Stats struct {
	Goroutines int   `json:"goroutines"`
	Heap       int64 `json:"heapBytes"`  // objects in use
	Stack      int64 `json:"stackBytes"` // stacks of goroutines
}

// Take collects garbage, returns free memory to the system, and returns the remaining memory. Read the system's figure for the
// process directly after it.
func Take() Stats {
	runtime.GC() // finalizers of the first collection may free objects for the second
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Stats{Goroutines: runtime.NumGoroutine(), Heap: int64(m.HeapAlloc), Stack: int64(m.StackInuse)}
}

// Handler responds to every request with the Stats of Take as JSON, and below /debug/pprof/ with profiles.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(Take()) // an error means that the driver has ended
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// Ask returns the Stats of the Handler at url.
func Ask(ctx context.Context, url string) (Stats, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Stats{}, fmt.Errorf("ask the probe: %w", err)
	}
	request.Close = true // a kept connection would be measured
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
