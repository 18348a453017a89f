package alert

import (
	"time"

	"github.com/dougu-go/dougu/tools/telemetry"
)

// Sample is what was counted since the start, until a moment.
type Sample struct {
	// Requests are those that have succeeded or failed, and Failed the latter.
	Requests, Failed int64
	// Took is how long they took together.
	Took time.Duration
	// Memory and Connections are those of the moment.
	Memory, Connections int64
}

// Recorded are samples of a Recorder: of the calls of tools, since that is what may
// fail and take long, or of all requests if it measures no tools.
func Recorded(r *telemetry.Recorder) func() Sample {
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
			sample.Took += calls.Took.Sum()
		}
		return sample
	}
}

// taken is a sample with its time.
type taken struct {
	Sample
	at time.Time
}

// window are the samples of the last minutes, in order.
type window struct {
	most    time.Duration
	samples []taken
}

// add adds a sample, and tells of the time since the first one that is in the
// window. A sample that counts less than the one before begins anew: what counts is
// another.
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
