package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
)

var (
	// ErrEscapes means that a path, or a link on it, leads outside of the root.
	ErrEscapes = errors.New("path leads outside of the root")
	// ErrIrregular means that the object is neither a regular file nor a directory.
	ErrIrregular = errors.New("neither a regular file nor a directory")
	// ErrLink means that an entry is a symbolic link, which the operation does not follow.
	ErrLink = errors.New("symbolic link is not followed here")
	// ErrLinkLoop means that a path leads through more than 40 symbolic links.
	ErrLinkLoop = errors.New("too many symbolic links")
	// ErrChanged means that an entry was replaced repeatedly while it was opened.
	ErrChanged = errors.New("entry kept changing while it was opened")
	// ErrNotDirectory means that the path has a file where it needs a directory.
	ErrNotDirectory = errors.New("not a directory")
	// ErrDirectory means that the path has a directory where the operation needs a file.
	ErrDirectory = errors.New("is a directory")
	// ErrLarge means that a file is larger than the limit of the call.
	ErrLarge = errors.New("larger than may be read")
	// ErrAlias means that the file system treats a name as another name, for example the 8.3 form of a long name.
	ErrAlias = errors.New("another spelling of the entry's name")
)

// StepError names the entry at which a path could not be followed further.
type StepError struct {
	Dir  string // final path of the directory that was reached, "." for the root
	Name string // entry of Dir at which it ended
	Err  error  // one of this package's errors, fs.ErrNotExist or the system's
}

// Error returns the path of the entry relative to the root, and the reason.
func (e *StepError) Error() string {
	return strconv.Quote(join(e.Dir, e.Name)) + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *StepError) Unwrap() error { return e.Err }

// Reason removes the names of files from an error of the os package: they may be real paths, which tools must not
// show.
func Reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
