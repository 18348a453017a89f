//go:build !linux

package rootfs

import "os"

// copyAttributes does nothing: extended attributes are copied on Linux only.
func copyAttributes(_, _ *os.File) {}
