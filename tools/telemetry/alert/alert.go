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

// Options say what is watched. All but Source have defaults.
type Options struct {
	// Source is what was counted. It answers at once.
	Source func() Sample
	// Rules are looked at; nil: Defaults.
	Rules []Rule
	// Sinks are told.
	Sinks []Sink
	// Interval is how often the rules are looked at. 0: 15 s.
	Interval time.Duration
	// Window is how long the time is that rates and means are of. 0: 5 minutes.
	Window time.Duration
	// Log is told when a rule or a sink panics; nil is nobody.
	Log *slog.Logger
}

// Alert is something that is wrong, or was.
type Alert struct {
	// ID is that of the incident: the same when it begins and when it is over.
	ID       string   `json:"id"`
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Resolved says that it is over.
	Resolved bool `json:"resolved"`
	// Value and Above are as people read them.
	Value string `json:"value"`
	Above string `json:"above"`
	// Since is when the value was above for the first time, and At when this is told.
	Since time.Time `json:"since"`
	At    time.Time `json:"timestamp"`
	// Metrics are what the rule was looked at with.
	Metrics Metrics `json:"-"`
}

// Sink is told of alerts, one after the other. It must not block.
type Sink func(Alert)

// Watch looks at rules again and again. It may be used concurrently.
type Watch struct {
	options Options
	log     *slog.Logger
	work    group.Group
	stop    context.CancelFunc

	mu        sync.Mutex
	window    window
	incidents []*incident // one a rule, in the order of the rules
	serial    int
}

// incident is how a rule stands.
type incident struct {
	rule  Rule
	since time.Time // of the first value above; zero for none
	told  *Alert    // that it has begun
}

// New begins to watch. The Watch is to be closed.
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
		return nil, errors.New("watching for alerts: there is no source to watch")
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
			w.Look()
			if wait.Sleep(ctx, o.Interval) != nil {
				return
			}
		}
	})
	return w, nil
}

// Close ends watching. Nothing is told any more.
func (w *Watch) Close(context.Context) error {
	w.stop()
	w.work.Wait()
	return nil
}

// Look looks at all rules now, besides the times when it is done anyway.
func (w *Watch) Look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var sample Sample
	if !w.guarded("the source of alerts", func() { sample = w.options.Source() }) {
		return
	}
	now := time.Now()
	m := w.window.add(sample, now)
	for _, i := range w.incidents {
		w.judge(i, m, now)
	}
}

// judge looks at one rule.
func (w *Watch) judge(i *incident, m Metrics, now time.Time) {
	var value float64
	if !w.guarded("the alert rule "+i.rule.Name, func() { value = i.rule.Value(m) }) {
		return
	}
	silent := i.rule.Requests > 0 && m.Requests == 0 // nothing is wrong with nothing
	switch {
	case value != value || !silent && m.Requests < i.rule.Requests:
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

func (w *Watch) tell(a Alert) {
	for _, sink := range w.options.Sinks {
		w.guarded("telling of the alert "+a.Rule, func() { sink(a) })
	}
}

// guarded reports whether f came to its end.
func (w *Watch) guarded(what string, f func()) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			w.log.Error(what+" has panicked", "value", v, "stack", string(debug.Stack()))
		}
	}()
	f()
	return true
}

// Active are the alerts that are not over, the worst first.
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

// rank is larger for what is worse.
func (s Severity) rank() int { return slices.Index([]Severity{Low, Medium, High, Critical}, s) }
