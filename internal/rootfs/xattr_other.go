//go:build !linux

package rootfs

import "os"

// copyAttributes is empty: extended attributes are carried over on Linux only.
func copyAttributes(_, _ *os.File) {}
