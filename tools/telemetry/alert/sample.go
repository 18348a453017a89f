package alert

import (
	"time"

	"github.com/dougu-go/dougu/tools/telemetry"
)

// Sample is a snapshot of counters, which start at 0 and increase, and of the present state.
type Sample struct {
	// Requests is the number of requests that succeeded or failed, and Failed the number that
	// failed.
	Requests, Failed int64
	// Took is the sum of their durations.
	Took time.Duration
	// Memory is the present size of heap objects in bytes, and Connections the present number of
	// active connections.
	Memory, Connections int64
}

// RecorderSource returns a Source for a Recorder. It counts tool calls or, if no tool is measured, all
// requests. Connections is the number of active sessions.
func RecorderSource(r *telemetry.Recorder) func() Sample {
	return func() Sample {
		s := r.Snapshot()
		of := s.Tools
		if len(of) == 0 {
			of = s.Requests
		}
		sample := Sample{Memory: s.Memory.Heap, Connections: s.Sessions.Active}
		for _, calls := range of {
			sample.Requests += calls.Succeeded + calls.Failed
			sample.Failed += calls.Failed
			sample.Took += calls.Durations.Sum()
		}
		return sample
	}
}

// taken is a sample with its time.
type taken struct {
	Sample
	at time.Time
}

// window holds the samples of the sliding window, oldest first.
type window struct {
	most    time.Duration
	samples []taken
}

// add adds a sample and returns the metrics since the oldest sample of the window. If a counter has
// decreased, its source has restarted, and the window is cleared.
func (w *window) add(s Sample, now time.Time) Metrics {
	if n := len(w.samples); n > 0 {
		if last := w.samples[n-1]; s.Requests < last.Requests || s.Failed < last.Failed || s.Took < last.Took {
			w.samples = nil
		}
	}
	w.samples = append(w.samples, taken{s, now})
	drop := 0
	for drop < len(w.samples)-2 && now.Sub(w.samples[drop].at) > w.most {
		drop++
	}
	w.samples = append(w.samples[:0], w.samples[drop:]...)
	first := w.samples[0]
	m := Metrics{
		Requests: s.Requests - first.Requests, Failed: s.Failed - first.Failed, Memory: s.Memory, Connections: s.Connections, Window: now.Sub(first.at),
	}
	if m.Requests > 0 {
		m.AverageTime = (s.Took - first.Took) / time.Duration(m.Requests)
	}
	return m
}
