// Package alert watches what a server counts and tells when something is wrong: too
// many errors, answers that take too long, too much memory, or whatever rules one
// adds.
//
//	watch, err := alert.New(alert.Options{Source: alert.Recorded(recorder), Sinks: []alert.Sink{alert.Log(log)}})
//	defer watch.Close(ctx)
//
// A rule is about the last minutes, not about all since the start: what was wrong
// an hour ago is not wrong now. It is told once when it begins and once when it is
// over, and not each time that it is looked at: it must hold for some time, with
// enough requests to tell, and is over only when the value is well below.
package alert
