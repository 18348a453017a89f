package driver

import (
	"cmp"
	"runtime"
	"slices"
	"time"
)

// Report is the result of a run.
type Report struct {
	Go       string            `json:"go"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	CPUs     int               `json:"cpus"`
	InFlight int               `json:"inFlight"`
	Tools    int               `json:"tools"`
	Versions map[string]string `json:"versions"` // by name of the server
	Cells    []*Cell           `json:"cells"`
	Held     []*Held           `json:"held,omitempty"`
}

// Cell holds the measurements of one workload with one server.
type Cell struct {
	Workload    string   `json:"workload"`
	Server      string   `json:"server"`
	Calls       int      `json:"calls"`                 // in each sample
	AnswerBytes int      `json:"answerBytes,omitempty"` // without the newline
	Samples     []Sample `json:"samples"`               // one for each round
}

// Sample is one measurement. Durations are for one call; in JSON they are nanoseconds.
type Sample struct {
	CPU     time.Duration `json:"cpuNs"`        // of the server; 0 if unknown
	Wall    time.Duration `json:"wallNs"`       // with concurrent calls
	PeakRSS int64         `json:"peakRssBytes"` // of the server; 0 if unknown
}

func newReport(servers []Binary, o Options) *Report {
	r := &Report{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		InFlight: o.InFlight, Tools: o.Tools, Versions: make(map[string]string, len(servers)),
	}
	for _, s := range servers {
		r.Versions[s.Name] = s.Version
	}
	return r
}

// add appends an empty cell for each entrant.
func (r *Report) add(workload string, calls int, entrants []entrant) []*Cell {
	from := len(r.Cells)
	for _, e := range entrants {
		r.Cells = append(r.Cells, &Cell{Workload: workload, Server: e.name, Calls: calls})
	}
	return r.Cells[from:]
}

// Cell returns the measurements of a workload with a server, or nil.
func (r *Report) Cell(workload, server string) *Cell {
	for _, c := range r.Cells {
		if c.Workload == workload && c.Server == server {
			return c
		}
	}
	return nil
}

// cost returns the duration by which samples are compared: processor time, or for Start wall time.
func (c *Cell) cost(s Sample) time.Duration {
	if c.Workload == Start || s.CPU == 0 {
		return s.Wall
	}
	return s.CPU
}

// Cost returns the median cost of a call: processor time of the server, or wall time for Start and on systems without processor
// time.
func (c *Cell) Cost() time.Duration { return spreadOf(c.Samples, c.cost).Median }

// Ratio returns the cost relative to the sum of the other cells' costs: the median of the ratios of the rounds.
func (c *Cell) Ratio(others ...*Cell) float64 {
	rounds := len(c.Samples)
	for _, other := range others {
		rounds = min(rounds, len(other.Samples))
	}
	var ratios []float64
	for i := range rounds {
		var theirs time.Duration
		for _, other := range others {
			theirs += other.cost(other.Samples[i])
		}
		ratios = append(ratios, float64(c.cost(c.Samples[i]))/float64(theirs))
	}
	return middle(ratios)
}

// spread is a median with the minimum and maximum.
type spread[T cmp.Ordered] struct{ Median, Min, Max T }

func spreadOf[T ~int64 | ~float64](samples []Sample, value func(Sample) T) spread[T] {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = value(s)
	}
	if len(values) == 0 {
		return spread[T]{}
	}
	return spread[T]{middle(values), slices.Min(values), slices.Max(values)}
}

// middle sorts the values and returns the median, or 0 without values.
func middle[T ~int64 | ~float64](values []T) T {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
