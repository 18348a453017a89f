package app

import "strings"

// List is a flag that may be repeated. It holds all values in the order of the command
// line.
type List []string

// String implements flag.Value.
func (l *List) String() string { return strings.Join(*l, ", ") }

// Set implements flag.Value.
func (l *List) Set(value string) error {
	*l = append(*l, value)
	return nil
}
