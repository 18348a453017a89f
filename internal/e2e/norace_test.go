//go:build !race

package e2e

// raceDetector says whether the test runs under the race detector, and so should
// what it starts.
const raceDetector = false
