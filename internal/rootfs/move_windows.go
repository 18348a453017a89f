package rootfs

import (
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// moveNew renames an entry, and replaces nothing. A new spelling of the entry's own name is no replacement to the system.
func moveNew(from *os.File, old string, into *os.File, name string, _ fs.FileMode) error {
	entry, err := openEntry(windows.Handle(from.Fd()), old)
	if err != nil {
		return windowsError(err)
	}
	defer windows.CloseHandle(entry)
	return windowsError(renameEntry(entry, windows.Handle(into.Fd()), name))
}

// moveOver renames an entry to another spelling of its own name.
func moveOver(from *os.File, old string, into *os.File, name string, mode fs.FileMode) error {
	return moveNew(from, old, into, name, mode)
}

// openEntry opens an entry of a directory, a link itself, to rename it.
func openEntry(dir windows.Handle, name string) (windows.Handle, error) {
	text, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return 0, err
	}
	attributes := windows.OBJECT_ATTRIBUTES{RootDirectory: dir, ObjectName: text}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	var entry windows.Handle
	var status windows.IO_STATUS_BLOCK
	err = windows.NtCreateFile(&entry, windows.SYNCHRONIZE|windows.DELETE, &attributes, &status, nil, 0,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, windows.FILE_OPEN,
		windows.FILE_OPEN_REPARSE_POINT|windows.FILE_OPEN_FOR_BACKUP_INTENT|windows.FILE_SYNCHRONOUS_IO_NONALERT, 0, 0)
	return entry, err
}

// renaming is FILE_RENAME_INFORMATION, whose zero first member refuses to replace.
type renaming struct {
	flags  uint32
	dir    windows.Handle
	length uint32 // of name, in bytes
	name   [windows.MAX_PATH]uint16
}

func renameEntry(entry, dir windows.Handle, name string) error {
	text, err := windows.UTF16FromString(name)
	if err != nil {
		return err
	}
	r := renaming{dir: dir, length: uint32(len(text)-1) * 2}
	if len(text) > len(r.name) {
		return windows.ERROR_FILENAME_EXCED_RANGE
	}
	copy(r.name[:], text)
	var status windows.IO_STATUS_BLOCK
	return windows.NtSetInformationFile(entry, &status, (*byte)(unsafe.Pointer(&r)), uint32(unsafe.Sizeof(r)), windows.FileRenameInformation)
}

// windowsError makes of a status the error that the os package would return.
func windowsError(err error) error {
	status, ok := err.(windows.NTStatus)
	if !ok {
		return err
	}
	errno := status.Errno()
	if errno == windows.ERROR_NOT_SAME_DEVICE {
		return ErrCrossDevice
	}
	return errno
}
