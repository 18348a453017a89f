//go:build race

package testrequire

// Race reports whether the test runs with the race detector, which takes more memory and time.
const Race = true
