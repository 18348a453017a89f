//go:build unix && !linux

package transport

import "golang.org/x/sys/unix"

// duplicateTo makes descriptor to a copy of descriptor from.
func duplicateTo(from, to int) error { return unix.Dup2(from, to) }
