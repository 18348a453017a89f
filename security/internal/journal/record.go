package journal

import (
	"io/fs"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// Record is the description of a change.
type Record struct {
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
	Steps   []Step    `json:"steps"`
	// Roots are the identities of the directories of the steps, by name: the project may be moved before the change is undone.
	Roots map[string]string `json:"roots,omitempty"`
}

// Kind is the effect of a step on its file.
type Kind uint8

const (
	// Write replaces the content of a file that exists.
	Write Kind = iota + 1
	// Create makes a file.
	Create
	// Move gives a file another path.
	Move
	// Trash moves a file into the trash.
	Trash
)

// Step is a step of a change, with the data that undo it. Roots are absolute, paths final and relative to them.
type Step struct {
	Kind    Kind     `json:"kind"`
	Root    string   `json:"root"`
	Path    string   `json:"path"`
	ToRoot  string   `json:"toRoot,omitempty"` // of Move and Trash
	To      string   `json:"to,omitempty"`
	Old     string   `json:"old,omitempty"`     // sha256 before the step; "" where there is no file
	New     string   `json:"new,omitempty"`     // sha256 after Write or Create
	Offset  int64    `json:"offset,omitempty"`  // of the former content in the journal
	Size    int64    `json:"size,omitempty"`    // of the former content, for Write
	Dirs    []string `json:"dirs,omitempty"`    // directories that Create makes, outermost first
	Unsaved bool     `json:"unsaved,omitempty"` // of a document in an editor
}

// valid reports whether a step that was read from a file is well-formed. contents is the size of the former contents in the file.
func (s *Step) valid(contents int64) bool {
	if !filepath.IsAbs(s.Root) || !fs.ValidPath(s.Path) || s.Path == "." {
		return false
	}
	for _, dir := range s.Dirs {
		if !fs.ValidPath(dir) || !slashpath.IsBelow(s.Path, dir) {
			return false
		}
	}
	switch s.Kind {
	case Write, Create:
		return s.Offset >= 0 && s.Size >= 0 && s.Offset <= contents && s.Size <= contents-s.Offset
	case Move:
		return filepath.IsAbs(s.ToRoot) && fs.ValidPath(s.To) && s.To != "."
	case Trash:
		_, ok := trash.Original(s.To)
		return ok && fs.ValidPath(s.To) && s.ToRoot == s.Root
	}
	return false
}
