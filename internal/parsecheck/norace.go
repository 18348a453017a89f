//go:build !race

package parsecheck

const raceDetector = false
