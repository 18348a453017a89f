package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
	"unicode/utf8"
)

// Installer enters one program's servers into the files of clients.
type Installer struct {
	Program  string // whose changes these are; only it can undo them
	StateDir string // where changes are recorded, see Environment.StateDir
	// Now is the time, for the record; nil is time.Now.
	Now func() time.Time
}

// Change is what would be done to a file. Nothing is done before Apply.
type Change struct {
	Location
	Name   string // of the entry
	Real   string // where File leads to by links
	Action Action
	// Notes are sentences about what a person should know.
	Notes []string

	in     *Installer
	server Server
	target target
	after  []byte
	undone *record
	stale  []string // records of changes that are not there any more
}

// Plan makes out what it takes to enter a server into a file under a name. An
// entry of that name keeps all that does not say how the server is started.
func (in *Installer) Plan(at Location, name string, s Server) (*Change, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	for _, text := range append([]string{s.Command, s.URL}, s.Args...) {
		if !utf8.ValidString(text) {
			return nil, fmt.Errorf("%q is not UTF-8, and cannot be written into a JSON file", text)
		}
	}
	if s.URL != "" && at.Client.starts {
		return nil, fmt.Errorf("the file of %s names programs that it starts, and no URLs; enter the program without a URL", at.Client.Title)
	}
	if err := checkVariables(s.Env); err != nil {
		return nil, err
	}
	t, err := look(at.File)
	if err != nil {
		return nil, err
	}
	ch := &Change{Location: at, Name: name, Real: t.real, in: in, server: s, target: t}
	ch.after, ch.Action, err = edited(t.content, at.Client, at.Scope, name, s)
	if err != nil {
		return nil, inFile(at.File, err)
	}
	if len(ch.after) > maxSize {
		return nil, fmt.Errorf("%s: would be larger than %d MiB", at.File, maxSize>>20)
	}
	ch.note()
	return ch, nil
}

// inFile puts the name of the file before what is wrong with its text.
func inFile(file string, err error) error {
	if fault, ok := errors.AsType[*SyntaxError](err); ok {
		return fmt.Errorf("%s:%w; correct it there, nothing was changed", file, fault)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// note tells about what the client will stumble over.
func (ch *Change) note() {
	if ch.Real != ch.File && ch.target.exists {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(ch.File)); err != nil || filepath.Join(dir, filepath.Base(ch.File)) != ch.Real {
			ch.Notes = append(ch.Notes, fmt.Sprintf("%s is a link; %s is changed.", ch.File, ch.Real))
		}
	}
	if ch.server.Token != "" && ch.Scope == User && ch.target.exists && runtime.GOOS != "windows" && ch.target.perm&0o077 != 0 {
		ch.Notes = append(ch.Notes, fmt.Sprintf("The file has a token then, and other users can read it: \"chmod 600 %s\" keeps them out.", ch.Real))
	}
	if line := ch.Client.Loose(ch.target.content); line > 0 {
		ch.Notes = append(ch.Notes, fmt.Sprintf("Line %d of %s has a comment or a comma before a closing bracket. It stays, but %s may not read such a file.", line, ch.File, ch.Client.Title))
	}
	d, err := parse(ch.target.content)
	if err != nil {
		return
	}
	if _, _, e, err := d.lookup(ch.Client, ch.Name); err == nil && e.Disabled {
		ch.Notes = append(ch.Notes, fmt.Sprintf("The entry %q is disabled, and stays so until you enable it in %s.", ch.Name, ch.Client.Title))
	}
}

// Shown are the file's contents before and after the change as they may be shown
// to anybody: see the package's masking of what may be secret.
func (ch *Change) Shown() (before, after string) {
	return masked(ch.target.content, ch.Client, ch.Name, ch.server.URL), masked(ch.after, ch.Client, ch.Name, ch.server.URL)
}

// Exists reports whether there is a file before the change.
func (ch *Change) Exists() bool { return ch.target.exists }

// Apply makes the change, and records how to undo it, or makes the record of an
// undone one disappear.
func (ch *Change) Apply() error {
	switch ch.Action {
	case Add, Update, Replace:
		return ch.install()
	case Restore, Withdraw:
		if err := ch.target.write(ch.after, ch.perm()); err != nil {
			return err
		}
	case Delete:
		if err := ch.target.remove(); err != nil {
			return err
		}
		if err := removeEmpty(ch.undone.Dirs); err != nil {
			return err
		}
	}
	return ch.forget()
}

func (ch *Change) install() error {
	t := &ch.target
	path, err := journal{ch.in.StateDir}.add(record{
		Program: ch.in.Program, Client: ch.Client.Name, Name: ch.Name, Time: ch.in.now(), File: t.real,
		Existed: t.exists, Dirs: t.missing, Server: ch.server, Before: t.content, After: digest(ch.after),
	})
	if err != nil {
		return err
	}
	if err := t.write(ch.after, ch.perm()); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

// perm is the mode of a new file: what lies in a project is for all who work on
// it, and the rest for the user alone.
func (ch *Change) perm() fs.FileMode {
	if ch.Scope == Project {
		return 0o644
	}
	return 0o600
}

func (in *Installer) now() time.Time {
	if in.Now == nil {
		return time.Now().UTC()
	}
	return in.Now()
}

// checkName accepts names that all clients accept, and that tell apart what they
// name on a command line too.
func checkName(name string) error {
	if name == "" || len(name) > 64 {
		return errors.New("the name of a server has 1 to 64 characters")
	}
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.') {
			return fmt.Errorf("the name %q of a server has letters, digits, '-', '_' and '.' only", name)
		}
	}
	return nil
}
