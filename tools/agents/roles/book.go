package roles

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

// Errors of a Book, for errors.Is.
var (
	// ErrUnknown reports that the role does not exist.
	ErrUnknown = errors.New("the role does not exist")
	// ErrExists reports that the identifier of a new role belongs to an existing one.
	ErrExists = errors.New("a role with this identifier exists")
	// ErrConflict reports that the role has changed since the caller read it.
	ErrConflict = errors.New("the role was changed concurrently")
	// ErrInvalid reports that the role has an invalid value.
	ErrInvalid = errors.New("the role is invalid")
)

// Book is the list of roles in a settings file. Other programs may change the file at any time. A
// Book is safe for concurrent use.
type Book struct {
	file file

	changeMu sync.Mutex // held while the file is changed

	mu       sync.Mutex             // guards the fields below
	text     []byte                 // last content of the file
	err      error                  // error of the last read
	contents *contents              // roles and problems; nil before the first read
	watchers map[chan struct{}]bool // one channel for each call of Watch
}

// Open reads the roles of a settings file in YAML, from the list "roles". Without the file or the
// list, the built-in roles apply; the first change creates the file. Errors in the file are not
// returned: Problems reports them, and invalid roles are left out.
//
// Open follows links to any location, because the user has named the file. Use OpenProject for a
// file of a project.
func Open(path string) (*Book, error) { return openFile(path, false) }

// OpenProject is like Open for a file of a project. A link that leads out of the directory of the
// file is a problem, and the file counts as unreadable. If the link is created later, the roles stay
// unchanged, and nothing is written.
func OpenProject(path string) (*Book, error) { return openFile(path, true) }

func openFile(path string, ofProject bool) (*Book, error) {
	name, err := absolutePath(path)
	if err != nil {
		return nil, fmt.Errorf("opening the roles: %w", err)
	}
	b := &Book{file: file{path: name, isProject: ofProject}, watchers: make(map[chan struct{}]bool)}
	text, err := b.file.read()
	b.setContents(text, err)
	return b, nil
}

// Path returns the absolute path of the file.
func (b *Book) Path() string { return b.file.path }

// Role returns the role with an identifier.
func (b *Book) Role(id string) (Role, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.contents.find(id)
	e.Tools = slices.Clone(e.Tools)
	return e.Role, ok
}

// Roles returns all roles in the order of the file.
func (b *Book) Roles() []Role {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.contents.roles()
}

// Problems returns the errors in the roles of the file, in the order of their positions.
func (b *Book) Problems() []*Problem {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.contents.problems)
}

// setContents sets the state from a read of the file and notifies watchers of a difference. If the
// file cannot be read or is no valid YAML, the roles stay unchanged; the built-in roles apply if it
// is the first read. A file that does not exist has no list of roles.
func (b *Book) setContents(text []byte, err error) {
	var next *contents
	switch {
	case errors.Is(err, fs.ErrNotExist):
		next = &contents{}
	case err != nil:
		next = b.unreadableContents(config.Position{}, fmt.Sprintf("it cannot be read: %v", err))
	default:
		next = b.parse(text)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(next.entries) == 0 && !next.listed { // no list; an empty list means no roles
		next.entries = b.fallbackEntries(next.isUnreadable)
	}
	was := b.contents
	b.text, b.err, b.contents = text, err, next
	if was != nil && slices.EqualFunc(was.entries, next.entries, entry.equal) && slices.EqualFunc(was.problems, next.problems, equalProblems) {
		return
	}
	for wake := range b.watchers {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

func (e entry) equal(other entry) bool { return e.Role.Equal(other.Role) }

func equalProblems(a, b *Problem) bool { return *a == *b }

// fallbackEntries returns the roles that apply without a list in the file: the previous roles if the
// file is unreadable, otherwise the built-in roles. The caller holds mu.
func (b *Book) fallbackEntries(isUnreadable bool) []entry {
	if isUnreadable && b.contents != nil {
		return b.contents.entries
	}
	var all []entry
	for i, r := range builtin() {
		all = append(all, entry{index: i, Role: r})
	}
	return all
}

func (b *Book) parse(text []byte) *contents {
	d, err := yamlfile.Parse(text)
	if err != nil {
		at := config.Position{}
		message := err.Error()
		if syntax, ok := errors.AsType[*config.SyntaxError](err); ok {
			at, message = syntax.Position, syntax.Message
		}
		return b.unreadableContents(at, message)
	}
	return read(b.file.path, d.Node())
}

// unreadableContents returns contents with one problem.
func (b *Book) unreadableContents(at config.Position, message string) *contents {
	c := &contents{source: b.file.path, isUnreadable: true}
	c.problem(at, "", "", message, "the roles stay as they were")
	return c
}
