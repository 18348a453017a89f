package driver

import (
	"context"
	"fmt"
	"time"
)

// Options say how much is measured. The zero value of a field means its
// default.
type Options struct {
	Rounds   int // how often each workload is measured with each server; 5
	Calls    int // how many small calls a round makes, other workloads fewer; 5000
	InFlight int // how many calls are unanswered at a time; 16
	Tools    int // how many tools the servers serve; 50
	Starts   int // how often the start of each server is measured; 20

	// Progress, when set, is told of each measurement before it begins.
	Progress func(round int, workload, server string)
}

func (o Options) withDefaults() Options {
	for field, standard := range map[*int]int{&o.Rounds: 5, &o.Calls: 5000, &o.InFlight: 16, &o.Tools: 50, &o.Starts: 20} {
		if *field <= 0 {
			*field = standard
		}
	}
	if o.Progress == nil {
		o.Progress = func(int, string, string) {}
	}
	return o
}

// Patience is the longest that one measurement may take. A server that takes
// longer is killed and the run fails.
const Patience = 3 * time.Minute

// Measure runs the named workloads, of which there are the ones of Workloads
// and Start, against every server. Measurements are interleaved: each server in
// turn, then the next round, so that a change in what else the machine does
// meets all servers. Each has a new process, so that no workload leaves its
// garbage to the next. A wrong answer from any server is an error.
func Measure(ctx context.Context, servers []Binary, workloads []string, options Options) (*Report, error) {
	o := options.withDefaults()
	known, err := Workloads(o.Tools)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]Workload, len(known))
	for _, w := range known {
		byName[w.Name] = w
	}
	report := newReport(servers, o)
	for _, name := range workloads {
		w, ok := byName[name]
		switch {
		case ok:
			err = o.workload(ctx, report, servers, w)
		case name == Start:
			err = o.starts(ctx, report, servers)
		default:
			err = fmt.Errorf("there is no workload %q", name)
		}
		if err != nil {
			return nil, err
		}
	}
	return report, nil
}

func (o Options) workload(ctx context.Context, report *Report, servers []Binary, w Workload) error {
	cells := report.add(w.Name, w.Calls(o.Calls), servers)
	for round := range o.Rounds {
		for i, server := range servers {
			o.Progress(round+1, w.Name, server.Name)
			sample, size, err := o.calls(ctx, server, w)
			if err != nil {
				return fmt.Errorf("server %s, workload %s: %w", server.Name, w.Name, err)
			}
			cells[i].AnswerBytes = size
			cells[i].Samples = append(cells[i].Samples, sample)
		}
	}
	return nil
}

// calls measures one round of a workload with one server. It returns the length
// of an answer too.
func (o Options) calls(ctx context.Context, server Binary, w Workload) (Sample, int, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	p, err := startProcess(ctx, server, o.Tools)
	if err != nil {
		return Sample{}, 0, err
	}
	defer p.stop()
	if err := p.initialize(ctx); err != nil {
		return Sample{}, 0, err
	}
	if err := p.initialized(); err != nil {
		return Sample{}, 0, err
	}

	calls := w.Calls(o.Calls)
	warm := exchange{request: w.request, first: firstID, calls: max(o.InFlight, calls/4), inFlight: o.InFlight, every: 1}
	usual, err := p.warmUp(ctx, warm, w)
	if err != nil {
		return Sample{}, 0, p.explain(fmt.Errorf("warm up: %w", err))
	}
	timed := warm
	timed.first += warm.calls
	timed.calls, timed.every, timed.usual = calls, max(1, calls/32), usual
	sample, err := p.timed(ctx, timed, w)
	if err != nil {
		return Sample{}, 0, p.explain(err)
	}
	return sample, usual, nil
}

// warmUp makes calls whose answers are all checked, and returns the length of
// one.
func (p *process) warmUp(ctx context.Context, x exchange, w Workload) (int, error) {
	answers, err := x.run(ctx, p.link())
	if err != nil {
		return 0, err
	}
	return len(answers[0]), x.verify(answers, w.check)
}

func (p *process) timed(ctx context.Context, x exchange, w Workload) (Sample, error) {
	pid := p.cmd.Process.Pid
	before, err := cpuTime(pid)
	if err != nil {
		return Sample{}, err
	}
	began := time.Now()
	answers, err := x.run(ctx, p.link())
	wall := time.Since(began)
	if err != nil {
		return Sample{}, err
	}
	after, err := cpuTime(pid)
	if err != nil {
		return Sample{}, err
	}
	rss, err := peakRSS(pid)
	if err != nil {
		return Sample{}, err
	}
	calls := time.Duration(x.calls)
	return Sample{CPU: (after - before) / calls, Wall: wall / calls, PeakRSS: rss}, x.verify(answers, w.check)
}

func (o Options) starts(ctx context.Context, report *Report, servers []Binary) error {
	cells := report.add(Start, 1, servers)
	for round := range o.Starts {
		for i, server := range servers {
			o.Progress(round+1, Start, server.Name)
			sample, err := o.start(ctx, server)
			if err != nil {
				return fmt.Errorf("start server %s: %w", server.Name, err)
			}
			cells[i].Samples = append(cells[i].Samples, sample)
		}
	}
	return nil
}

// start measures from before the process exists until its first answer.
func (o Options) start(ctx context.Context, server Binary) (Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	began := time.Now()
	p, err := startProcess(ctx, server, o.Tools)
	if err != nil {
		return Sample{}, err
	}
	defer p.stop()
	if err := p.initialize(ctx); err != nil {
		return Sample{}, err
	}
	wall := time.Since(began)
	cpu, err := cpuTime(p.cmd.Process.Pid)
	if err != nil {
		return Sample{}, err
	}
	rss, err := peakRSS(p.cmd.Process.Pid)
	return Sample{CPU: cpu, Wall: wall, PeakRSS: rss}, err
}
