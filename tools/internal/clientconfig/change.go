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

// Installer adds the servers of one program to the configuration files of clients.
type Installer struct {
	Program  string // the name in the records; only the same program can undo a change
	StateDir string // the directory of the records: see Environment.StateDir
	// Now returns the time for the records; nil is time.Now.
	Now func() time.Time
}

// Change is a planned change of a file. Only Apply writes anything.
type Change struct {
	Location
	Name string // of the entry
	Real string // File after all symbolic links
	// Action is the effect on the file; Nothing if there is no change.
	Action Action
	// Retargets reports an Update of an entry of the user that makes the program work in other directories (flag -root): the entry
	// may serve another project.
	Retargets bool
	// Notes are sentences for the user, such as warnings about the file.
	Notes []string

	in     *Installer
	server Server
	target target   // the file as Plan read it
	after  []byte   // the new content
	undone *record  // the record that the change undoes, or nil
	stale  []string // paths of records whose changes are no longer in the file
}

// Plan computes the change that adds a server to a file under a name. An existing entry of that
// name keeps the members that do not concern the start of the server. Plan does not write.
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
	t, err := resolveFile(at.File)
	if err != nil {
		return nil, err
	}
	ch := &Change{Location: at, Name: name, Real: t.real, in: in, server: s, target: t}
	ch.after, ch.Action, err = at.Client.syntax.edited(t.content, at.Client, at.Scope, name, s)
	if err != nil {
		return nil, inFile(at.File, err)
	}
	if ch.Action == Update && at.Scope != Project {
		entries, err := at.Client.Entries(t.content)
		if err != nil {
			return nil, inFile(at.File, err)
		}
		for _, old := range entries {
			ch.Retargets = ch.Retargets || old.Name == name && s.retargets(old.Server)
		}
	}
	if len(ch.after) > maxSize {
		return nil, fmt.Errorf("%s: would be larger than %d MiB", at.File, maxSize>>20)
	}
	ch.note()
	return ch, nil
}

// inFile adds the name of the file to an error in its text.
func inFile(file string, err error) error {
	if fault, ok := errors.AsType[*SyntaxError](err); ok {
		return fmt.Errorf("%s:%w; correct it there, nothing was changed", file, fault)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// note adds warnings about the file to Notes.
func (ch *Change) note() {
	if ch.Real != ch.File && ch.target.exists {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(ch.File)); err != nil || filepath.Join(dir, filepath.Base(ch.File)) != ch.Real {
			ch.Notes = append(ch.Notes, fmt.Sprintf("%s is a link; %s is changed.", ch.File, ch.Real))
		}
	}
	if ch.server.Token != "" && ch.Scope == User && ch.target.exists && runtime.GOOS != "windows" && ch.target.perm&0o077 != 0 {
		ch.Notes = append(ch.Notes, fmt.Sprintf("The file has a token then, and other users can read it: \"chmod 600 %s\" keeps them out.", ch.Real))
	}
	if line := ch.Client.NonstandardLine(ch.target.content); line > 0 {
		ch.Notes = append(ch.Notes, fmt.Sprintf("Line %d of %s has a comment or a comma before a closing bracket. It stays, but %s may not read such a file.", line, ch.File, ch.Client.Title))
	}
	entries, err := ch.Client.Entries(ch.target.content)
	if err != nil {
		return
	}
	if e, ok := named(entries, ch.Name); ok && e.Disabled {
		ch.Notes = append(ch.Notes, fmt.Sprintf("The entry %q is disabled, and stays so until you enable it in %s.", ch.Name, ch.Client.Title))
	}
}

// Preview returns the contents of the file before and after the change with possible secrets
// masked.
func (ch *Change) Preview() (before, after string) {
	return ch.Client.syntax.masked(ch.target.content, ch.Client, ch.Name, ch.server.URL), ch.Client.syntax.masked(ch.after, ch.Client, ch.Name, ch.server.URL)
}

// Exists reports whether the file exists before the change.
func (ch *Change) Exists() bool { return ch.target.exists }

// Apply writes the change and records how to undo it. Applying an undo removes the record of the
// undone change. It fails if the file was changed after Plan.
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

// install records and writes the change. The record is removed if the file cannot be written.
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

// perm returns the mode of a new file: readable by all in a project, otherwise by the user alone.
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

// checkName accepts names that all clients accept and that need no quotes on a command line.
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
