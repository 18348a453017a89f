package health

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
)

// Status is how something is.
type Status string

// The states.
const (
	Healthy   Status = "healthy"
	Unhealthy Status = "unhealthy"
)

// mostDetails is how long the details of a check are at most, in bytes.
const mostDetails = 500

// Check looks at one thing.
type Check struct {
	Name string
	// Run says what it found, or what is wrong. It should end when ctx does.
	Run func(ctx context.Context) (details string, err error)
	// Timeout is how long it may take. 0: that of the Options.
	Timeout time.Duration
	// Optional checks are told, but do not make the server unhealthy.
	Optional bool
}

// Result is what a check has found.
type Result struct {
	Name    string `json:"name"`
	Status  Status `json:"status"`
	Details string `json:"details,omitempty"`
}

// Report is how the server is.
type Report struct {
	Status    Status    `json:"status"`
	Timestamp time.Time `json:"timestamp"`
	// Checks are in the order in which they were given.
	Checks []Result `json:"checks"`
}

// Options say what is checked.
type Options struct {
	Checks []Check
	// Timeout is how long a check may take. 0: 2 s.
	Timeout time.Duration
	// Fresh is for how long a report is answered again instead of making another.
	// 0: 1 s.
	Fresh time.Duration
	// Brief has the handler leave out what checks have found, and their names.
	Brief bool
	// Log is told when the status changes; nil is nobody.
	Log *slog.Logger
}

// Checker runs checks. It may be used concurrently: those who ask at once get the
// same report.
type Checker struct {
	options Options
	log     *slog.Logger
	work    group.Group
	alive   context.Context
	end     context.CancelFunc

	mu     sync.Mutex
	last   Report
	at     time.Time // when last was made
	flight *flight   // that is being made; nil for none

	running []chan Result // the checks that have not ended, of the one flight
}

// flight is a report that is being made.
type flight struct {
	done   chan struct{}
	report Report
}

// New makes a Checker, which is to be closed.
func New(o Options) (*Checker, error) {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Second
	}
	if o.Fresh <= 0 {
		o.Fresh = time.Second
	}
	seen := make(map[string]bool)
	for _, c := range o.Checks {
		if c.Name == "" || c.Run == nil || seen[c.Name] {
			return nil, fmt.Errorf("making health checks: %q lacks a name of its own, or something to run", c.Name)
		}
		seen[c.Name] = true
	}
	c := &Checker{options: o, log: o.Log, running: make([]chan Result, len(o.Checks))}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.alive, c.end = context.WithCancel(context.Background())
	return c, nil
}

// Close ends the checks that run, and waits for them until ctx ends.
func (c *Checker) Close(ctx context.Context) error {
	c.end()
	ended := make(chan struct{})
	var waiting group.Group // goes on when the checks do
	waiting.Go(func() {
		defer close(ended)
		c.work.Wait()
	})
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing the health checks: some do not end: %w", context.Cause(ctx))
	}
}

// Check runs all checks side by side, or answers what was found a moment ago. A
// check that takes longer than it may is unhealthy, and is not run again before it
// has ended. The error is that ctx has ended before.
func (c *Checker) Check(ctx context.Context) (Report, error) {
	c.mu.Lock()
	if !c.at.IsZero() && time.Since(c.at) < c.options.Fresh {
		defer c.mu.Unlock()
		return c.last, nil
	}
	f := c.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		c.flight = f
		c.work.Go(func() { c.fly(f) })
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.report, nil
	case <-ctx.Done():
		return Report{}, fmt.Errorf("waiting for health checks: %w", context.Cause(ctx))
	}
}

// fly makes a report.
func (c *Checker) fly(f *flight) {
	f.report = c.run()
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.last.Status; f.report.Status != before && (before != "" || f.report.Status == Unhealthy) {
		c.log.Warn("the health of the server has changed", "status", string(f.report.Status), "checks", f.report.Checks)
	}
	c.last, c.at, c.flight = f.report, time.Now(), nil
	close(f.done)
}

func (c *Checker) run() Report {
	report := Report{Status: Healthy, Timestamp: time.Now().UTC().Round(0), Checks: make([]Result, len(c.options.Checks))}
	start := time.Now()
	for i, check := range c.options.Checks {
		c.begin(i, check)
	}
	for i, check := range c.options.Checks {
		report.Checks[i] = c.await(i, check, start)
		if report.Checks[i].Status == Unhealthy && !check.Optional {
			report.Status = Unhealthy
		}
	}
	return report
}

// begin starts a check, unless the one before has not ended.
func (c *Checker) begin(i int, check Check) {
	if c.running[i] != nil {
		return
	}
	found := make(chan Result, 1)
	c.running[i] = found
	c.work.Go(func() {
		ctx, cancel := context.WithTimeout(c.alive, c.timeout(check))
		defer cancel()
		result := Result{Name: check.Name, Status: Unhealthy, Details: "the check has panicked"}
		defer func() { found <- result }() // also then
		details, err := check.Run(ctx)
		if err != nil {
			result.Details = truncate.Line(err.Error(), mostDetails)
			return
		}
		result.Status, result.Details = Healthy, truncate.Line(details, mostDetails)
	})
}

func (c *Checker) timeout(check Check) time.Duration {
	if check.Timeout > 0 {
		return check.Timeout
	}
	return c.options.Timeout
}

// await is what a check finds in its time, which began at start.
func (c *Checker) await(i int, check Check, start time.Time) Result {
	limit := c.timeout(check)
	timer := time.NewTimer(limit - time.Since(start))
	defer timer.Stop()
	select {
	case result := <-c.running[i]:
		c.running[i] = nil
		return result
	case <-timer.C:
	}
	select { // it may have ended just now, and others have taken all the time
	case result := <-c.running[i]:
		c.running[i] = nil
		return result
	default:
		return Result{Name: check.Name, Status: Unhealthy, Details: fmt.Sprintf("no answer within %v", limit)}
	}
}

// Live answers 200 for as long as the process serves HTTP: it is the handler of a
// liveness probe, and checks nothing. The Checker is that of a readiness probe.
func Live(w http.ResponseWriter, r *http.Request) {
	if reads(w, r) {
		Write(w, http.StatusOK, []byte(`{"status":"alive"}`))
	}
}

// Write answers a probe with JSON that is not to be cached.
func Write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have gone
}

// reads refuses methods that do not only read.
func reads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "use GET", http.StatusMethodNotAllowed)
	return false
}

// ServeHTTP answers the report as JSON: 200 when the server is healthy, else 503.
func (c *Checker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !reads(w, r) {
		return
	}
	report, err := c.Check(r.Context())
	if err != nil {
		return // who has left needs no answer
	}
	if c.options.Brief {
		report.Checks = []Result{}
	}
	body, err := json.Marshal(report)
	if err != nil {
		http.Error(w, "the report cannot be written", http.StatusInternalServerError)
		return
	}
	status := http.StatusOK
	if report.Status != Healthy {
		status = http.StatusServiceUnavailable
	}
	Write(w, status, body)
}
