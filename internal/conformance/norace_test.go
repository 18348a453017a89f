//go:build !race

package conformance

// raceDetector says whether the test runs under the race detector. The suite
// has time limits of its own, which slower programs do not meet.
const raceDetector = false
