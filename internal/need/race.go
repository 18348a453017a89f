//go:build race

package need

// Race reports whether the test runs with the race detector, which takes more memory and time.
const Race = true
