package transport

import "golang.org/x/sys/unix"

// dupOver makes descriptor to a copy of from.
func dupOver(from, to int) error { return unix.Dup3(from, to, 0) }
