package rootfs

import "os"

// syncDir is empty: Windows keeps the names of a directory in a journal, and flushes no directory.
func syncDir(*os.Root) error { return nil }
