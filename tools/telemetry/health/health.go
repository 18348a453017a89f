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

// Status is the result of a check or of all checks.
type Status string

// The statuses.
const (
	Healthy   Status = "healthy"
	Unhealthy Status = "unhealthy"
)

// mostDetails is the longest text of a check, in bytes; longer text is truncated.
const mostDetails = 500

// Check tests one part of the server.
type Check struct {
	// Name is unique among the checks.
	Name string
	// Run returns details of the healthy state, or an error. It should return when ctx ends.
	Run func(ctx context.Context) (details string, err error)
	// Timeout limits Run. Default: Options.Timeout.
	Timeout time.Duration
	// Optional checks appear in the report, but do not make the server unhealthy.
	Optional bool
}

// Result is the result of one check.
type Result struct {
	// Name is Check.Name.
	Name string `json:"name"`
	// Status is the status of the check.
	Status Status `json:"status"`
	// Details is the text of the check or of its error, at most 500 bytes.
	Details string `json:"details,omitempty"`
}

// Report is the result of all checks.
type Report struct {
	// Status is Unhealthy if a check fails that is not optional.
	Status Status `json:"status"`
	// Timestamp is the time of the report, in UTC.
	Timestamp time.Time `json:"timestamp"`
	// Checks has the results in the order of Options.Checks.
	Checks []Result `json:"checks"`
}

// Options configure a Checker.
type Options struct {
	// Checks are the checks to run.
	Checks []Check
	// Timeout limits a check without a timeout of its own. Default: 2 s.
	Timeout time.Duration
	// CacheTime is the time for which a report is returned again instead of a new one. Default: 1 s.
	CacheTime time.Duration
	// Brief makes the handler omit the results of the checks, with their names.
	Brief bool
	// Log receives a warning when the status changes. Default: no log.
	Log *slog.Logger
}

// Checker runs checks. It is safe for concurrent use; concurrent callers share one report.
type Checker struct {
	options Options
	log     *slog.Logger
	work    group.Group
	alive   context.Context
	end     context.CancelFunc

	mu      sync.Mutex
	last    Report
	at      time.Time      // time of last; zero before the first report
	pending *pendingReport // the report in progress; nil if there is none

	running []chan Result // by index of the check; nil if it is not running; used by the report in progress only
}

// pendingReport is a report in progress.
type pendingReport struct {
	done   chan struct{} // closed when report is set
	report Report
}

// New returns a Checker, or an error for a check without a unique name or without Run. The caller
// must call Close.
func New(o Options) (*Checker, error) {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Second
	}
	if o.CacheTime <= 0 {
		o.CacheTime = time.Second
	}
	seen := make(map[string]bool)
	for _, c := range o.Checks {
		if c.Name == "" || c.Run == nil || seen[c.Name] {
			return nil, fmt.Errorf("making health checks: check %q has no unique name or no Run function", c.Name)
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

// Close cancels running checks and waits for them until ctx ends.
func (c *Checker) Close(ctx context.Context) error {
	c.end()
	ended := make(chan struct{})
	var waiting group.Group // ends with the checks
	waiting.Go(func() {
		defer close(ended)
		c.work.Wait()
	})
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing the health checks: some checks have not ended: %w", context.Cause(ctx))
	}
}

// Check returns a cached report or runs all checks in parallel. A check that exceeds its timeout is
// unhealthy, and does not run again until its Run returns. The error reports the end of ctx.
func (c *Checker) Check(ctx context.Context) (Report, error) {
	c.mu.Lock()
	if !c.at.IsZero() && time.Since(c.at) < c.options.CacheTime {
		defer c.mu.Unlock()
		return c.last, nil
	}
	f := c.pending
	if f == nil {
		f = &pendingReport{done: make(chan struct{})}
		c.pending = f
		c.work.Go(func() { c.makeReport(f) })
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.report, nil
	case <-ctx.Done():
		return Report{}, fmt.Errorf("waiting for health checks: %w", context.Cause(ctx))
	}
}

// makeReport makes a report, stores it, and logs a change of the status.
func (c *Checker) makeReport(f *pendingReport) {
	f.report = c.run()
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.last.Status; f.report.Status != before && (before != "" || f.report.Status == Unhealthy) {
		c.log.Warn("health status changed", "status", string(f.report.Status), "checks", f.report.Checks)
	}
	c.last, c.at, c.pending = f.report, time.Now(), nil
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

// begin starts a check unless its previous run has not ended.
func (c *Checker) begin(i int, check Check) {
	if c.running[i] != nil {
		return
	}
	found := make(chan Result, 1)
	c.running[i] = found
	c.work.Go(func() {
		ctx, cancel := context.WithTimeout(c.alive, c.timeout(check))
		defer cancel()
		result := Result{Name: check.Name, Status: Unhealthy, Details: "the check panicked"}
		defer func() { found <- result }() // also after a panic
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

// await returns the result of a check, or an unhealthy one when the timeout, counted from start,
// has passed.
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
	select { // prefer a result that is ready: waiting for earlier checks may have used up the timeout
	case result := <-c.running[i]:
		c.running[i] = nil
		return result
	default:
		return Result{Name: check.Name, Status: Unhealthy, Details: fmt.Sprintf("no result within %v", limit)}
	}
}

// Live returns status 200 while the process serves HTTP. It is the handler of a liveness probe and
// runs no checks; Checker is the handler of a readiness probe.
func Live(w http.ResponseWriter, r *http.Request) {
	if reads(w, r) {
		Write(w, http.StatusOK, []byte(`{"status":"alive"}`))
	}
}

// Write sends a JSON response with headers that prevent caching.
func Write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have disconnected
}

// reads reports whether the method is GET or HEAD. For other methods it sends status 405.
func reads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "use GET", http.StatusMethodNotAllowed)
	return false
}

// ServeHTTP sends the report as JSON, with status 200 if the server is healthy, else 503.
func (c *Checker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !reads(w, r) {
		return
	}
	report, err := c.Check(r.Context())
	if err != nil {
		return // the client has disconnected
	}
	if c.options.Brief {
		report.Checks = []Result{}
	}
	body, err := json.Marshal(report)
	if err != nil {
		http.Error(w, "the report cannot be encoded", http.StatusInternalServerError)
		return
	}
	status := http.StatusOK
	if report.Status != Healthy {
		status = http.StatusServiceUnavailable
	}
	Write(w, status, body)
}
