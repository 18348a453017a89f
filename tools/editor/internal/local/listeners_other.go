//go:build !linux

package local

// Listeners finds the Unix sockets on which the processes of a program listen. It finds them on Linux only.
type Listeners struct {
	// Program is the name of the processes.
	Program string
}

// Paths returns the absolute paths of the sockets.
func (*Listeners) Paths() []string { return nil }
