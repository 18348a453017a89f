//go:build !linux

package confine

// Supported tells the version of Landlock that the kernel offers, and whether there is any: not on this system.
func Supported() (abi int, ok bool) { return 0, false }

// Thread restricts the calling thread of the operating system where that can be done; here it is [ErrUnsupported].
func Thread(Rules) error { return ErrUnsupported }

// Programs are the places that installed programs need to run; nothing here, where nothing can be confined.
func Programs() []string { return nil }
