package alert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
)

// Options configure a Watch. Source is required.
type Options struct {
	// Source returns the present counters. It must not block.
	Source func() Sample
	// Rules are the rules to check. Default: Defaults().
	Rules []Rule
	// Sinks receive the alerts.
	Sinks []Sink
	// Interval is the time between two checks. Default: 15 s.
	Interval time.Duration
	// Window is the length of the sliding window for rates and means. Default: 5 minutes.
	Window time.Duration
	// Log receives panics of rules and sinks. Default: no log.
	Log *slog.Logger
}

// Alert is the begin or the end of a violation of a rule.
type Alert struct {
	// ID identifies the incident; its begin and its end have the same ID.
	ID string `json:"id"`
	// Rule, Severity and Message are copied from the Rule.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Resolved is true at the end of the incident.
	Resolved bool `json:"resolved"`
	// Value is the formatted value, and Above the formatted threshold Rule.Above.
	Value string `json:"value"`
	Above string `json:"above"`
	// Since is the time of the first value above the threshold, and At the time of this report.
	Since time.Time `json:"since"`
	At    time.Time `json:"timestamp"`
	// Metrics are the metrics that the rule was checked with.
	Metrics Metrics `json:"-"`
}

// Sink receives alerts, one at a time. It must not block.
type Sink func(Alert)

// Watch checks rules at an interval. It is safe for concurrent use.
type Watch struct {
	options Options
	log     *slog.Logger
	work    group.Group
	stop    context.CancelFunc

	mu        sync.Mutex  // guards the fields below; sinks are called while it is held
	window    window      // the samples of Options.Window
	incidents []*incident // one per rule, in the order of the rules
	serial    int         // number of the last alert, for its ID
}

// incident is the state of one rule.
type incident struct {
	rule  Rule
	since time.Time // time of the first value above the threshold; zero if the value is below
	told  *Alert    // the active alert, whose begin the sinks have received; nil if there is none
}

// New starts a Watch. The first check runs at once. The caller must call Close. The error names a
// missing Source and all invalid rules: without a name or a Value, with the name of another rule,
// with Below higher than Above, or with an unknown severity.
func New(o Options) (*Watch, error) {
	if o.Rules == nil {
		o.Rules = Defaults()
	}
	if o.Interval <= 0 {
		o.Interval = 15 * time.Second
	}
	if o.Window <= 0 {
		o.Window = 5 * time.Minute
	}
	if o.Source == nil {
		return nil, errors.New("watching for alerts: Options.Source is nil")
	}
	if err := check(o.Rules); err != nil {
		return nil, fmt.Errorf("watching for alerts: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watch{options: o, log: o.Log, stop: cancel, window: window{most: o.Window}}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	for _, r := range o.Rules {
		w.incidents = append(w.incidents, &incident{rule: r})
	}
	w.work.Keep(ctx, func() {
		for {
			w.CheckRules()
			if wait.Sleep(ctx, o.Interval) != nil {
				return
			}
		}
	})
	return w, nil
}

// Close stops the checks. Afterwards sinks receive nothing.
func (w *Watch) Close(context.Context) error {
	w.stop()
	w.work.Wait()
	return nil
}

// CheckRules checks all rules now, in addition to the checks at each interval.
func (w *Watch) CheckRules() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var sample Sample
	if !w.callSafely("the source of alerts", func() { sample = w.options.Source() }) {
		return
	}
	now := time.Now()
	m := w.window.add(sample, now)
	for _, i := range w.incidents {
		w.checkRule(i, m, now)
	}
}

// checkRule checks one rule and reports the begin or the end of an incident. A value of NaN changes
// nothing. For a rule with Rule.Requests, a window without requests resolves the alert, and a
// window with fewer requests than that changes nothing. Otherwise the alert ends when the value is
// at most Rule.Below.
func (w *Watch) checkRule(i *incident, m Metrics, now time.Time) {
	var value float64
	if !w.callSafely("the alert rule "+i.rule.Name, func() { value = i.rule.Value(m) }) {
		return
	}
	silent := i.rule.Requests > 0 && m.Requests == 0 // no traffic, so the alert is resolved
	switch {
	case value != value || !silent && m.Requests < i.rule.Requests: // NaN, or too few requests: no change
	case !silent && value > i.rule.Above:
		if i.since.IsZero() {
			i.since = now
		}
		if i.told == nil && now.Sub(i.since) >= i.rule.For {
			w.serial++
			i.told = &Alert{
				ID: fmt.Sprintf("alert-%d-%d", now.UnixMilli(), w.serial), Rule: i.rule.Name, Severity: i.rule.Severity, Message: i.rule.Message,
				Value: i.rule.show(value), Above: i.rule.show(i.rule.Above), Since: i.since, At: now, Metrics: m,
			}
			w.tell(*i.told)
		}
	case i.told == nil:
		i.since = time.Time{}
	case silent || value <= i.rule.below():
		over := *i.told
		over.Resolved, over.Value, over.At, over.Metrics = true, i.rule.show(value), now, m
		i.told, i.since = nil, time.Time{}
		w.tell(over)
	}
}

// tell sends an alert to all sinks. A sink that panics does not stop the others.
func (w *Watch) tell(a Alert) {
	for _, sink := range w.options.Sinks {
		w.callSafely("the sink of the alert "+a.Rule, func() { sink(a) })
	}
}

// callSafely calls f, logs a panic, and reports whether f returned.
func (w *Watch) callSafely(what string, f func()) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			w.log.Error(what+" panicked", "value", v, "stack", string(debug.Stack()))
		}
	}()
	f()
	return true
}

// Active returns the alerts that are not resolved, the most severe first.
func (w *Watch) Active() []Alert {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []Alert{}
	for _, i := range w.incidents {
		if i.told != nil {
			all = append(all, *i.told)
		}
	}
	slices.SortStableFunc(all, func(a, b Alert) int { return cmp.Compare(b.Severity.rank(), a.Severity.rank()) })
	return all
}

// rank returns the order of severities: higher is more severe.
func (s Severity) rank() int { return slices.Index([]Severity{Low, Medium, High, Critical}, s) }
