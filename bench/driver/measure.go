package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Options sets the number of measurements. Zero fields have the defaults given with them.
type Options struct {
	Rounds   int // measurements of each workload with each server; default 5
	Calls    int // small calls in a round, other workloads make fewer; default 5000
	InFlight int // concurrent calls; default 16
	Tools    int // tools of the servers; default 50
	Starts   int // measurements of the start of each server; default 20
	Held     int // sessions, streams or connections to hold; default 10000

	// Calm is the time for which the number of a server's goroutines must not fall. The server then counts as idle, and its memory
	// is measured. Default 3 s.
	Calm time.Duration

	// Profiles is a directory for profiles of the servers that listen: of memory during holds, of processor time during calls that
	// are not measured. Empty makes none.
	Profiles string

	// Progress is called before each measurement. It may be nil.
	Progress func(round int, workload, server string)
}

func (o Options) withDefaults() Options {
	for field, standard := range map[*int]int{&o.Rounds: 5, &o.Calls: 5000, &o.InFlight: 16, &o.Tools: 50, &o.Starts: 20, &o.Held: 10000} {
		if *field <= 0 {
			*field = standard
		}
	}
	if o.Calm <= 0 {
		o.Calm = 3 * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(int, string, string) {}
	}
	return o
}

// MeasurementTimeout is the timeout of one measurement. A slower server is killed and the run fails.
const MeasurementTimeout = 3 * time.Minute

// Measure runs the named workloads against every server. A name is one of Workloads (timed calls), Start (the start of the process),
// or the name of a hold. A hold opens many sessions, streams or connections, and measures their memory while they are idle. Servers
// are measured in turn in each round, so that other load on the machine affects all of them. Each measurement has a new process,
// without garbage of earlier ones. A wrong result of a server is an error.
func Measure(ctx context.Context, servers []Binary, workloads []string, options Options) (*Report, error) {
	o := options.withDefaults()
	runs, err := o.runs(servers)
	if err != nil {
		return nil, err
	}
	report := newReport(servers, o)
	for _, name := range workloads {
		run, ok := runs[name]
		if !ok {
			return nil, fmt.Errorf("there is no workload %q", name)
		}
		if err := run(ctx, report); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// runs returns the function that measures each workload.
func (o Options) runs(servers []Binary) (map[string]func(context.Context, *Report) error, error) {
	workloads, err := Workloads(o.Tools)
	if err != nil {
		return nil, err
	}
	holds, err := holds(o.Tools)
	if err != nil {
		return nil, err
	}
	runs := map[string]func(context.Context, *Report) error{
		Start: func(ctx context.Context, r *Report) error { return o.starts(ctx, r, servers) },
	}
	for _, w := range workloads {
		runs[w.Name] = func(ctx context.Context, r *Report) error { return o.workload(ctx, r, servers, w) }
	}
	for _, h := range holds {
		runs[h.name] = func(ctx context.Context, r *Report) error { return o.hold(ctx, r, servers, h) }
	}
	return runs, nil
}

// workload measures all rounds of a workload. An entrant is a server with the call that it receives in the workload.
func (o Options) workload(ctx context.Context, report *Report, servers []Binary, w Workload) error {
	entrants := w.entrants(servers)
	cells := report.add(w.Name, w.Calls(o.Calls), entrants)
	for round := range o.Rounds {
		for i, e := range entrants {
			o.Progress(round+1, w.Name, e.name)
			sample, size, err := o.calls(ctx, e, w.Calls(o.Calls))
			if err != nil {
				return fmt.Errorf("server %s, workload %s: %w", e.name, w.Name, err)
			}
			cells[i].AnswerBytes = size
			cells[i].Samples = append(cells[i].Samples, sample)
		}
	}
	for _, e := range entrants {
		if err := o.profileCalls(ctx, w, e); err != nil {
			return fmt.Errorf("server %s, workload %s: %w", e.name, w.Name, err)
		}
	}
	return nil
}

// calls measures one round of a workload with one entrant, and returns the length of a response.
func (o Options) calls(ctx context.Context, e entrant, calls int) (Sample, int, error) {
	ctx, cancel := context.WithTimeout(ctx, MeasurementTimeout)
	defer cancel()
	p, err := o.start(ctx, e)
	if err != nil {
		return Sample{}, 0, err
	}
	defer p.stop()
	c, err := e.way.dial(ctx, p, o.InFlight) // way is the transport; c sends the calls over it
	if err != nil {
		return Sample{}, 0, p.explain(err)
	}
	defer c.close()

	// An exchange is a series of calls, of which one response in every is returned for verification. In the measured series, each
	// response without the usual length is returned, too.
	warm := exchange{request: e.request, first: firstID, calls: max(o.InFlight, calls/4), inFlight: o.InFlight, every: 1}
	usual, err := warmUp(ctx, c, warm, e.check)
	if err != nil {
		return Sample{}, 0, p.explain(fmt.Errorf("warm up: %w", err))
	}
	measured := warm
	measured.first += warm.calls
	measured.calls, measured.every, measured.usual = calls, max(1, calls/32), usual
	sample, err := p.measure(ctx, c, measured, e.check)
	if err != nil {
		return Sample{}, 0, p.explain(err)
	}
	return sample, usual, nil
}

func (o Options) start(ctx context.Context, e entrant) (*process, error) {
	if e.way.listens {
		return startListening(ctx, e.binary, o.Tools, false, e.way.args...)
	}
	return startProcess(ctx, e.binary, o.Tools, e.way.args...)
}

// warmUp makes calls, verifies all responses, and returns the length of one.
func warmUp(ctx context.Context, c carrier, x exchange, check func(json.RawMessage) error) (int, error) {
	answers, err := c.carry(ctx, x)
	if err != nil {
		return 0, err
	}
	return len(answers[0]), x.verify(answers, check)
}

// measure makes the calls of x. It returns the server's processor time and the wall time for each call, and the server's peak of
// memory. It verifies the sampled responses afterwards.
func (p *process) measure(ctx context.Context, c carrier, x exchange, check func(json.RawMessage) error) (Sample, error) {
	pid := p.cmd.Process.Pid
	before, err := cpuTime(pid)
	if err != nil {
		return Sample{}, err
	}
	began := time.Now()
	answers, err := c.carry(ctx, x)
	wall := time.Since(began)
	if err != nil {
		return Sample{}, err
	}
	after, err := cpuTime(pid)
	if err != nil {
		return Sample{}, err
	}
	used, err := memory(pid)
	if err != nil {
		return Sample{}, err
	}
	calls := time.Duration(x.calls)
	return Sample{CPU: (after - before) / calls, Wall: wall / calls, PeakRSS: used.peak}, x.verify(answers, check)
}

func (o Options) starts(ctx context.Context, report *Report, servers []Binary) error {
	cells := report.add(Start, 1, call{}.entrants(servers))
	for round := range o.Starts {
		for i, server := range servers {
			o.Progress(round+1, Start, server.Name)
			sample, err := o.startUp(ctx, server)
			if err != nil {
				return fmt.Errorf("start server %s: %w", server.Name, err)
			}
			cells[i].Samples = append(cells[i].Samples, sample)
		}
	}
	return nil
}

// startUp measures the time from the start of the process to its first response.
func (o Options) startUp(ctx context.Context, server Binary) (Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, MeasurementTimeout)
	defer cancel()
	began := time.Now()
	p, err := startProcess(ctx, server, o.Tools)
	if err != nil {
		return Sample{}, err
	}
	defer p.stop()
	if err := openSession(ctx, p.pipes()); err != nil {
		return Sample{}, p.explain(err)
	}
	wall := time.Since(began)
	cpu, err := cpuTime(p.cmd.Process.Pid)
	if err != nil {
		return Sample{}, err
	}
	used, err := memory(p.cmd.Process.Pid)
	return Sample{CPU: cpu, Wall: wall, PeakRSS: used.peak}, err
}
