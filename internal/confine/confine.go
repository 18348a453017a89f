// Package confine restricts what child processes can do to the files and the network of the machine.
//
// On Linux it uses Landlock, which needs no rights and no configuration: a thread of the operating system gives rights up, and
// whatever it starts from then on never has them. Other systems have no such thing for a process that is not prepared for it;
// there [Thread] fails with [ErrUnsupported].
//
// What it does not do: it hides no names (a path can still be tested for existence), it does not stop what is open already, and
// of the network it knows TCP and, since version 6, abstract Unix sockets. UDP, name resolution and Unix sockets in the file
// system stay reachable.
package confine

import "errors"

// ErrUnsupported means that the operating system cannot restrict a process, or not as asked. Nothing may be started then that
// was to be restricted. errors.Is(err, errors.ErrUnsupported) holds for it.
var ErrUnsupported error = unsupported{}

type unsupported struct{}

func (unsupported) Error() string { return "this system cannot confine a process" }

func (unsupported) Is(target error) bool { return target == errors.ErrUnsupported }

// Rules are what a confined thread, and every process that it starts, may still do. The zero value allows next to nothing.
//
// Paths are absolute, must exist, and are followed if they are symbolic links; the file that a path leads to when the rules are
// applied is the one that is meant, not what gets the name later. Devices that every program expects are always there: null,
// zero, full, random, urandom and the terminal.
type Rules struct {
	Read    []string // files and directories: they and what is in them can be read, listed and executed
	Write   []string // as Read, and everything in them can be changed, created, moved among them and removed
	Network bool     // TCP and abstract Unix sockets can be used. Without it the kernel needs version 4 (Linux 6.7)
	Signals bool     // processes outside can be signalled. Without it that is stopped where the kernel can: version 6 (Linux 6.12)
}
