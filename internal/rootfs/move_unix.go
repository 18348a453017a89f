//go:build unix

package rootfs

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// moveNew renames an entry, and replaces nothing. The mode is the entry's.
func moveNew(from *os.File, old string, into *os.File, name string, mode fs.FileMode) error {
	return moveBetween(from, into, func(from, into int) error {
		err := renameNew(from, old, into, name)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, errors.ErrUnsupported) {
			return moveStepwise(from, old, into, name, mode)
		}
		return err
	})
}

// moveOver renames an entry to another spelling of its own name.
func moveOver(from *os.File, old string, into *os.File, name string, _ fs.FileMode) error {
	return moveBetween(from, into, func(from, into int) error { return unix.Renameat(from, old, into, name) })
}

func moveBetween(from, into *os.File, move func(from, into int) error) error {
	source, err := from.SyscallConn()
	if err != nil {
		return err
	}
	target, err := into.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	outer := source.Control(func(from uintptr) {
		inner = target.Control(func(into uintptr) { err = move(int(from), int(into)) })
	})
	if err := errors.Join(outer, inner); err != nil {
		return err
	}
	if errors.Is(err, unix.EXDEV) {
		return ErrCrossDevice
	}
	return err
}

// moveStepwise is for a file system whose rename cannot refuse to replace.
func moveStepwise(from int, old string, into int, name string, mode fs.FileMode) error {
	if mode.IsDir() {
		if err := unix.Mkdirat(into, name, 0o700); err != nil {
			return err
		}
		err := unix.Renameat(from, old, into, name) // fails if the directory is no longer empty
		if err != nil {
			unix.Unlinkat(into, name, unix.AT_REMOVEDIR)
		}
		return err
	}
	switch err := unix.Linkat(from, old, into, name, 0); err {
	case nil:
		return unlinkSame(from, old, into, name)
	case unix.EEXIST, unix.ENOENT, unix.EXDEV:
		return err
	}
	var there unix.Stat_t
	switch err := unix.Fstatat(into, name, &there, unix.AT_SYMLINK_NOFOLLOW); err {
	case nil:
		return unix.EEXIST
	case unix.ENOENT:
		return unix.Renameat(from, old, into, name)
	default:
		return err
	}
}

// unlinkSame removes a name of a file that has just got another one, or else the other one.
func unlinkSame(from int, old string, into int, name string) error {
	var former, latter unix.Stat_t
	err := unix.Fstatat(from, old, &former, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil {
		err = unix.Fstatat(into, name, &latter, unix.AT_SYMLINK_NOFOLLOW)
	}
	switch {
	case err != nil:
		return err
	case former.Dev != latter.Dev || former.Ino != latter.Ino:
		return ErrChanged
	}
	if err := unix.Unlinkat(from, old, 0); err != nil {
		unix.Unlinkat(into, name, 0)
		return err
	}
	return nil
}
