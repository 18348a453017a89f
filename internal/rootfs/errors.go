package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
)

var (
	// ErrEscapes says that a path, or a link on it, leads outside of the root.
	ErrEscapes = errors.New("path leads outside of the root")
	// ErrIrregular says that the object is neither a regular file nor a directory.
	ErrIrregular = errors.New("neither a regular file nor a directory")
	// ErrLink says that an entry is a symbolic link where none is followed.
	ErrLink = errors.New("symbolic link is not followed here")
	// ErrLinkLoop says that a path leads through more than 40 symbolic links.
	ErrLinkLoop = errors.New("too many symbolic links")
	// ErrChanged says that an entry was exchanged again and again while it was opened.
	ErrChanged = errors.New("entry kept changing while it was opened")
	// ErrNotDirectory says that a file stands where the path needs a directory.
	ErrNotDirectory = errors.New("not a directory")
	// ErrDirectory says that a directory stands where a file is needed.
	ErrDirectory = errors.New("is a directory")
	// ErrLarge says that a file is larger than what may be read of it.
	ErrLarge = errors.New("larger than may be read")
	// ErrAlias says that the file system takes a name for another one, such as the short 8.3 form of a long name.
	ErrAlias = errors.New("another spelling of the entry's name")
)

// StepError tells where a path could not be followed any further.
type StepError struct {
	Dir  string // final path of the directory that was reached, "." for the root
	Name string // entry of Dir at which it ended
	Err  error  // one of this package's errors, fs.ErrNotExist or the system's
}

// Error names the entry, relative to the root.
func (e *StepError) Error() string {
	return strconv.Quote(join(e.Dir, e.Name)) + ": " + e.Err.Error()
}

// Unwrap gives the reason.
func (e *StepError) Unwrap() error { return e.Err }

// Reason takes the names of files off an error of the os package: they may be real paths, which must not be shown.
func Reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
