//go:build unix && !linux && !darwin

package rootfs

import "errors"

// renameNew has no counterpart here.
func renameNew(int, string, int, string) error { return errors.ErrUnsupported }
