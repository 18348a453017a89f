//go:build !unix

package replay

// ignore is not possible here.
func ignore() {}

// stray is not played here.
func stray(string) {}
