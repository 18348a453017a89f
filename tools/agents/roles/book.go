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

// Errors of a Book, to be found with errors.Is.
var (
	// ErrUnknown is a role that is not there.
	ErrUnknown = errors.New("there is no such role")
	// ErrExists is an identifier that another role has.
	ErrExists = errors.New("there is a role of this name already")
	// ErrConflict is a role that somebody else has changed meanwhile.
	ErrConflict = errors.New("the role was changed meanwhile")
	// ErrInvalid is a role that is not allowed.
	ErrInvalid = errors.New("the role is not allowed")
)

// Book is the roles of a settings file. The file is the only truth: it may be changed by hand and by other
// programs at any time. A Book may be used concurrently.
type Book struct {
	file file

	change sync.Mutex // held while the file is changed

	mu      sync.Mutex
	text    []byte // of the file as it was read last
	err     error  // of reading it
	now     *contents
	wakened map[chan struct{}]bool
}

// Open reads the roles of a settings file in YAML, which are a list under "roles". A file that is not there, or has no
// such list, stands for the built-in roles; it is made when a role is changed. Nothing in a file is an error here:
// what is wrong with it is in Problems, and roles that are not allowed are left out.
//
// Links are followed wherever they lead: the user has named the file. OpenProject opens a file that a project brings.
func Open(path string) (*Book, error) { return openFile(path, false) }

// OpenProject is Open for a file that a project brings. A link that leads out of the directory of the file is an error, also if it
// is put in place while the Book is in use: the roles stay as they were, and nothing is written.
func OpenProject(path string) (*Book, error) { return openFile(path, true) }

func openFile(path string, ofProject bool) (*Book, error) {
	name, err := absolute(path)
	if err != nil {
		return nil, fmt.Errorf("opening the roles: %w", err)
	}
	b := &Book{file: file{path: name, ofProject: ofProject}, wakened: make(map[chan struct{}]bool)}
	text, err := b.file.read()
	b.take(text, err)
	return b, nil
}

// Path is the absolute name of the file.
func (b *Book) Path() string { return b.file.path }

// Role answers a role.
func (b *Book) Role(id string) (Role, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.now.find(id)
	e.Tools = slices.Clone(e.Tools)
	return e.Role, ok
}

// Roles answers all roles, in the order of the file.
func (b *Book) Roles() []Role {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now.roles()
}

// Problems are what is wrong with the roles in the file, in the order of their places.
func (b *Book) Problems() []*Problem {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.now.problems)
}

// take makes what was read the state of the book, and wakes those who watch if that is another one. A file that cannot
// be read leaves the roles as they were.
func (b *Book) take(text []byte, err error) {
	var next *contents
	switch {
	case errors.Is(err, fs.ErrNotExist):
		next = &contents{}
	case err != nil:
		next = b.unreadable(config.Position{}, fmt.Sprintf("it cannot be read: %v", err))
	default:
		next = b.parsed(text)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(next.entries) == 0 && !next.listed {
		next.entries = b.former(next.spoiled)
	}
	was := b.now
	b.text, b.err, b.now = text, err, next
	if was != nil && slices.EqualFunc(was.entries, next.entries, entry.same) && slices.EqualFunc(was.problems, next.problems, sameProblem) {
		return
	}
	for wake := range b.wakened {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

func (e entry) same(other entry) bool { return e.Role.Equal(other.Role) }

func sameProblem(a, b *Problem) bool { return *a == *b }

// former are the roles where a file lists none: the built-in ones, or those from before if it is spoiled for the moment.
func (b *Book) former(spoiled bool) []entry {
	if spoiled && b.now != nil {
		return b.now.entries
	}
	var all []entry
	for i, r := range builtin() {
		all = append(all, entry{i, r})
	}
	return all
}

func (b *Book) parsed(text []byte) *contents {
	d, err := yamlfile.Parse(text)
	if err != nil {
		at := config.Position{}
		message := err.Error()
		if syntax, ok := errors.AsType[*config.SyntaxError](err); ok {
			at, message = syntax.Position, syntax.Message
		}
		return b.unreadable(at, message)
	}
	return read(b.file.path, d.Node())
}

func (b *Book) unreadable(at config.Position, message string) *contents {
	c := &contents{source: b.file.path, spoiled: true}
	c.problem(at, "", "", message, "the roles stay as they were")
	return c
}
