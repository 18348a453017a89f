package gateway

import (
	"fmt"
	"time"
)

// downError is the error of a call whose upstream is not available.
type downError struct {
	upstream string
	why      error
	retry    time.Time // zero when it is not known
	answered time.Time // of the last sign of life; zero if there was none
}

func (e *downError) Error() string {
	text := fmt.Sprintf("the server %s is not available: %s", e.upstream, safeText(e.why.Error()))
	if !e.answered.IsZero() {
		text += fmt.Sprintf("; it last answered %v ago", time.Since(e.answered).Round(time.Second))
	}
	return text
}

// Unwrap returns why.
func (e *downError) Unwrap() error { return e.why }

// ErrorCode returns the code.
func (e *downError) ErrorCode() string { return "SERVER_UNAVAILABLE" }

// NextStep returns the next step.
func (e *downError) NextStep() string {
	if wait := time.Until(e.retry); wait > 0 {
		return fmt.Sprintf("nothing was done, and it is tried again in %d s: call again after that, or do without it", int(wait.Seconds())+1)
	}
	return "nothing was done: call again in some seconds, or do without it"
}

// lostError is the error of a call without a response because its connection broke.
type lostError struct {
	upstream string
	why      error
}

// isUnsent reports whether the upstream has seen nothing of the call.
func (e *lostError) isUnsent() bool { return isUnsent(e.why) }

func (e *lostError) Error() string {
	if e.isUnsent() {
		return fmt.Sprintf("the server %s is not available: %s", e.upstream, safeText(e.why.Error()))
	}
	return fmt.Sprintf("the server %s did not answer: %s", e.upstream, safeText(e.why.Error()))
}

// Unwrap returns why.
func (e *lostError) Unwrap() error { return e.why }

// ErrorCode returns the code.
func (e *lostError) ErrorCode() string { return "SERVER_UNAVAILABLE" }

// NextStep returns the next step.
func (e *lostError) NextStep() string {
	if e.isUnsent() {
		return "nothing was done: call again in some seconds, or do without it"
	}
	return "the call may have taken effect: check before you call again"
}

// lateError is the error of a call that has exceeded Upstream.Timeout.
type lateError struct {
	upstream string
	after    time.Duration
}

func (e *lateError) Error() string {
	return fmt.Sprintf("the server %s did not answer within %v", e.upstream, e.after)
}

// ErrorCode returns the code.
func (e *lateError) ErrorCode() string { return "TIMEOUT" }

// NextStep returns the next step.
func (e *lateError) NextStep() string {
	return "the call may have taken effect: check before you call again, and ask for less at once"
}

// busyError is the error of a call above a limit.
type busyError struct{ upstream, why string }

func (e *busyError) Error() string { return "the server " + e.upstream + " is busy: " + e.why }

// ErrorCode returns the code.
func (e *busyError) ErrorCode() string { return "SERVER_BUSY" }

// NextStep returns the next step.
func (e *busyError) NextStep() string { return "call again later" }
