//go:build race

package apps

// raceDetector keeps the run with the race detector short: nothing here runs in this process.
const raceDetector = true
