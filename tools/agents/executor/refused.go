package executor

// Refused is the error of a program that is there, or is named, and is not run. It
// wraps ErrUnavailable.
type Refused struct {
	Path string // of the program
	Why  string // predicate of the sentence about Path: "was found, but is not executable"
	Next string // what makes it usable, an imperative
}

// Error implements error.
func (r *Refused) Error() string {
	return ErrUnavailable.Error() + ": " + r.Path + " " + r.Why + ": " + r.Next
}

// Unwrap returns ErrUnavailable.
func (r *Refused) Unwrap() error { return ErrUnavailable }
