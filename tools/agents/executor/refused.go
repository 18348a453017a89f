package executor

// Refused is the error of a program that exists, or is named in settings, but must not be
// run. It wraps ErrUnavailable.
type Refused struct {
	// Path is the path of the program.
	Path string
	// Why is the predicate of a sentence with Path as its subject: "was found, but is not
	// executable".
	Why string
	// Next is an imperative that describes how to make the program usable.
	Next string
}

// Error implements error.
func (r *Refused) Error() string {
	return ErrUnavailable.Error() + ": " + r.Path + " " + r.Why + ": " + r.Next
}

// Unwrap returns ErrUnavailable.
func (r *Refused) Unwrap() error { return ErrUnavailable }
