// Package alert checks the metrics of a server against rules and reports violations: a high error
// rate, long response times, high memory use, or custom rules.
//
//	watch, err := alert.New(alert.Options{Source: alert.RecorderSource(recorder), Sinks: []alert.Sink{alert.Log(log)}})
//	defer watch.Close(ctx)
//
// A Watch takes a Sample of the counters at each interval and computes Metrics for a sliding window
// of the last minutes. Each Rule compares one value with a threshold. An Alert begins when the
// value stays above the threshold for Rule.For, with enough requests in the window. It is resolved
// when the value falls to a lower threshold. Each Sink receives an Alert twice: at its begin and
// when it is resolved.
package alert
