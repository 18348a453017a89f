package security

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// explain turns a failure of the file system into an Error about the path that the caller gave.
func (r *Root) explain(t target, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if step, ok := errors.AsType[*rootfs.StepError](err); ok && r.blocked.Match(slashpath.Join(step.Dir, step.Name)) {
		return blocked(t.given) // whether it exists is nobody's business
	}
	cause := rootfs.Reason(err)
	if step, ok := errors.AsType[*rootfs.StepError](err); ok {
		cause = step.Err
	}
	name := quote(t.given)
	switch {
	case errors.Is(err, rootfs.ErrEscapes):
		return refuse(PermissionDenied, OutsideProjectRoot, t.given, name+" is a link, or lies behind one, that leads out of the project.",
			"Use a file inside the project.")
	case errors.Is(err, rootfs.ErrAlias):
		return unsafeName(t.given, "holds another spelling of a name that the directory lists differently")
	case errors.Is(err, rootfs.ErrIrregular):
		return problem(NotRegularFile, t.given, cause, "%s is a device, FIFO, socket or the like.", name)
	case errors.Is(err, rootfs.ErrLink):
		return problem(NotRegularFile, t.given, cause, "%s is a symbolic link, which is not followed in a listing.", name)
	case errors.Is(err, rootfs.ErrLinkLoop):
		return problem(FileNotFound, t.given, fs.ErrNotExist, "%s leads through too many links, probably in a circle.", name)
	case errors.Is(err, rootfs.ErrNotDirectory):
		return problem(NotDirectory, t.given, cause, "%s leads through a file, or is one, where a directory is needed.", name)
	case errors.Is(err, fs.ErrNotExist):
		return r.notFound(t, err)
	}
	return failure(t.given, cause)
}

// failure is what the operating system said, in the words of the code table.
func failure(given string, cause error) *Error {
	name := quote(given)
	switch {
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		return &Error{Code: CodeOf(cause), AttemptedPath: shorten(given), Err: cause}
	case errors.Is(cause, rootfs.ErrChanged), isBusy(cause):
		return problem(FileBusy, given, cause, "%s was being changed or held by another program.", name)
	case errors.Is(cause, fs.ErrExist):
		return problem(AlreadyExists, given, cause, "%s exists already.", name)
	case isReadOnlyDisk(cause):
		return problem(ReadOnly, given, cause, "%s lies on a read-only file system.", name)
	case errors.Is(cause, fs.ErrPermission):
		return problem(PermissionDenied, given, cause, "The operating system denies access to %s.", name)
	case isFull(cause):
		return problem(NoSpace, given, cause, "There is no room to write %s.", name)
	case isTooLong(cause):
		return problem(InvalidParams, given, cause, "%s holds a name that is too long for the file system.", name)
	case errors.Is(cause, os.ErrClosed):
		return problem(InternalError, given, cause, "The project is closed.")
	}
	return problem(InternalError, given, cause, "The operating system failed on %s: %v.", name, cause)
}
