package rootfs_test

import "github.com/dougu-go/dougu/internal/rootfs"

// systemMovers are the further ways to move an entry on this system.
func systemMovers() map[string]func(p, to *rootfs.Place) error { return nil }
