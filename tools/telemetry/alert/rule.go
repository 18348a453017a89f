package alert

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hashicorp/go-multierror"
)

// Severity is the importance of an alert.
type Severity string

// The severities, from low to high.
const (
	Low      Severity = "low"
	Medium   Severity = "medium"
	High     Severity = "high"
	Critical Severity = "critical"
)

// Metrics are the values that rules check: the requests that ended in the window, and the present
// state of the process.
type Metrics struct {
	// Requests is the number of requests that succeeded or failed in the window, and Failed the
	// number that failed.
	Requests, Failed int64
	// AverageTime is the mean duration of these requests.
	AverageTime time.Duration
	// Memory is the size of heap objects, in bytes.
	Memory int64
	// Connections is the number of active connections or sessions.
	Connections int64
	// Window is the time that the metrics cover. It is shorter than Options.Window after the start.
	Window time.Duration
}

// ErrorRate returns Failed divided by Requests, from 0 to 1; 0 without requests.
func (m Metrics) ErrorRate() float64 {
	if m.Requests <= 0 {
		return 0
	}
	return float64(m.Failed) / float64(m.Requests)
}

// Rule is a condition for an alert.
type Rule struct {
	// Name is unique among the rules; Message describes the problem.
	Name, Message string
	// Severity is required.
	Severity Severity
	// Value returns the value to check. NaN changes nothing.
	Value func(Metrics) float64
	// Above is the threshold: an alert begins if the value is higher. It is resolved at a value of
	// Below or less. Default of Below: Above reduced by a tenth.
	Above, Below float64
	// Requests is the smallest number of requests in the window for a meaningful value. With fewer
	// requests the state of the rule does not change; without any request the alert is resolved. 0:
	// no limit.
	Requests int64
	// For is the time for which the value must stay above the threshold before the alert begins. 0:
	// at once.
	For time.Duration
	// Show formats a value for people. Default: a number with four digits.
	Show func(float64) string
}

// The names of the rules of Defaults.
const (
	HighErrorRate    = "High Error Rate"
	HighResponseTime = "High Response Time"
	MemoryUsage      = "Memory Usage"
)

// leastRequests is Rule.Requests of the default rules for rates and means.
const leastRequests = 20

// Defaults returns the default rules, each with a For of one minute: an error rate above 10 %, a
// mean duration above 5 seconds, and heap objects above 1 GiB.
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

// below returns the threshold at which the alert is resolved.
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

// check returns all problems of the rules.
func check(rules []Rule) error {
	var problems *multierror.Error
	seen := make(map[string]bool)
	for i, r := range rules {
		var problem error
		switch {
		case r.Name == "":
			problem = errors.New("it has no name")
		case seen[r.Name]:
			problem = errors.New("another rule has the same name")
		case r.Value == nil:
			problem = errors.New("its Value is nil")
		case math.IsNaN(r.Above) || math.IsNaN(r.Below) || r.below() > r.Above:
			problem = errors.New("its Below is higher than its Above")
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
