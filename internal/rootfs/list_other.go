//go:build !linux

package rootfs

import "os"

// openList opens a directory for reading its entries.
func openList(dir *os.Root) (*os.File, error) { return dir.Open(".") }
