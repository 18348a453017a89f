//go:build !race

package cursor_test

// slow says that the programs are instrumented, and start slowly.
const slow = false
