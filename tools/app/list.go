package app

import "strings"

// List is a flag that may be given several times; it has all the values, in their
// order.
type List []string

// String implements flag.Value.
func (l *List) String() string { return strings.Join(*l, ", ") }

// Set implements flag.Value.
func (l *List) Set(value string) error {
	*l = append(*l, value)
	return nil
}
