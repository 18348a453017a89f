//go:build !race

package websocket_test

// raceDetector reports whether memory holds more than the program's own.
const raceDetector = false
