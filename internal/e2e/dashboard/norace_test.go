//go:build !race

package dashboard

// raceDetector keeps the run with the race detector short: nothing here runs in this process.
const raceDetector = false
