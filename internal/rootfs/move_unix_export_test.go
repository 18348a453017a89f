//go:build unix

package rootfs

import "os"

// MoveStepwise moves an entry as on a file system whose rename cannot refuse to replace.
func MoveStepwise(p, to *Place) error {
	from, err := openNames(p.dir)
	if err != nil {
		return err
	}
	defer from.Close()
	into, err := openNames(to.dir)
	if err != nil {
		return err
	}
	defer into.Close()
	return moveBetween(from, into, func(from, into int) error {
		return moveStepwise(from, p.Name, into, to.Name, p.Info.Mode())
	})
}

// UnlinkSame removes the first of two names in a directory if both are of one file.
func UnlinkSame(dir *os.File, old, name string) error {
	return moveBetween(dir, dir, func(from, into int) error { return unlinkSame(from, old, into, name) })
}
