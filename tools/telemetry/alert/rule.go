package alert

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hashicorp/go-multierror"
)

// Severity says how bad something is.
type Severity string

// The severities.
const (
	Low      Severity = "low"
	Medium   Severity = "medium"
	High     Severity = "high"
	Critical Severity = "critical"
)

// Metrics are what a rule is about: the requests that have ended in the last
// minutes, and what there is now.
type Metrics struct {
	Requests, Failed int64
	// AverageTime is how long a request took.
	AverageTime time.Duration
	// Memory is that of objects, in bytes.
	Memory int64
	// Connections are those that are active.
	Connections int64
	// Window is how long the last minutes are; at the start it is shorter.
	Window time.Duration
}

// ErrorRate is the part of the requests that failed, from 0 to 1.
func (m Metrics) ErrorRate() float64 {
	if m.Requests <= 0 {
		return 0
	}
	return float64(m.Failed) / float64(m.Requests)
}

// Rule says when something is wrong.
type Rule struct {
	// Name tells rules apart; Message says what is wrong.
	Name, Message string
	Severity      Severity
	// Value is what is looked at. What is no number is as if there were none.
	Value func(Metrics) float64
	// Something is wrong when the value is above Above, and it is over when it is not
	// above Below. A Below of 0 is nine tenths of Above.
	Above, Below float64
	// Requests is how many the window must have for the value to mean something; with
	// fewer everything stays as it is, until there were none in all of the window.
	Requests int64
	// For is how long the value must be above before it is told.
	For time.Duration
	// Show writes a value for people. nil: as a number.
	Show func(float64) string
}

// The names of the rules of Defaults.
const (
	HighErrorRate    = "High Error Rate"
	HighResponseTime = "High Response Time"
	MemoryUsage      = "Memory Usage"
)

// leastRequests is how many requests say something of a rate or a mean.
const leastRequests = 20

// Defaults are the rules of a server that has no others: more than 10 % of the
// requests fail, they take more than 5 seconds on average, or there is more than
// 1 GiB of memory in use.
func Defaults() []Rule {
	return []Rule{
		{
			Name: HighErrorRate, Message: "Error rate exceeded 10%", Severity: High, Above: 0.1, Requests: leastRequests, For: time.Minute,
			Value: Metrics.ErrorRate,
			Show:  func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
		},
		{
			Name: HighResponseTime, Message: "Average response time exceeded 5 seconds", Severity: Medium, Above: 5, Requests: leastRequests, For: time.Minute,
			Value: func(m Metrics) float64 { return m.AverageTime.Seconds() },
			Show:  func(v float64) string { return fmt.Sprintf("%.1f s", v) },
		},
		{
			Name: MemoryUsage, Message: "Memory usage exceeded 1GB", Severity: Medium, Above: 1 << 30, For: time.Minute,
			Value: func(m Metrics) float64 { return float64(m.Memory) },
			Show:  func(v float64) string { return fmt.Sprintf("%.0f MiB", v/(1<<20)) },
		},
	}
}

// below is where a rule is over.
func (r Rule) below() float64 {
	if r.Below == 0 {
		return r.Above - math.Abs(r.Above)/10
	}
	return r.Below
}

func (r Rule) show(v float64) string {
	if r.Show != nil {
		return r.Show(v)
	}
	return fmt.Sprintf("%.4g", v)
}

// check gathers what is wrong with rules.
func check(rules []Rule) error {
	var problems *multierror.Error
	seen := make(map[string]bool)
	for i, r := range rules {
		var problem error
		switch {
		case r.Name == "":
			problem = errors.New("it has no name")
		case seen[r.Name]:
			problem = errors.New("another one has the same name")
		case r.Value == nil:
			problem = errors.New("it has no value to look at")
		case math.IsNaN(r.Above) || math.IsNaN(r.Below) || r.below() > r.Above:
			problem = errors.New("it is over above the value at which it begins")
		case r.Severity != Low && r.Severity != Medium && r.Severity != High && r.Severity != Critical:
			problem = fmt.Errorf("%q is no severity: use low, medium, high or critical", r.Severity)
		}
		seen[r.Name] = true
		if problem != nil {
			problems = multierror.Append(problems, fmt.Errorf("rule %d (%s): %w", i+1, r.Name, problem))
		}
	}
	return problems.ErrorOrNil()
}
