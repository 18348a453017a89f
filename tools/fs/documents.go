package fs

import (
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
)

// maxSaveError is the number of bytes of the reason why a program could not save a change.
const maxSaveError = 300

// InEditor describes a change that was made in the program that has the file open. It is zero for a change on the disk.
type InEditor struct {
	// Editor is the name of the program that has the file open and made the change.
	Editor string `json:"editor,omitempty"`
	// Unsaved means that the change is in the program and not on the disk. The size and the digest are those of its text.
	Unsaved bool `json:"unsaved,omitempty"`
	// SaveError is the reason why the program could not save the change.
	SaveError string `json:"saveError,omitempty"`
	// Altered means that the program has changed the content further when it saved, for example by formatting. The digest is that
	// of the file.
	Altered bool `json:"altered,omitempty"`
}

func inEditor(done security.WriteResult) InEditor {
	return InEditor{Editor: done.Program, Unsaved: done.Unsaved, SaveError: truncate.Line(done.SaveError, maxSaveError), Altered: done.Altered}
}

// where returns the part of a header that says where the change is.
func (e InEditor) where() string {
	switch {
	case e.Editor == "":
		return ""
	case e.Unsaved && e.SaveError != "":
		return ", in " + e.Editor + ", which could not save it (" + e.SaveError + ")"
	case e.Unsaved:
		return ", in " + e.Editor + ", not saved"
	case e.Altered:
		return ", in " + e.Editor + ", saved with further changes by it: read the file again"
	}
	return ", in " + e.Editor + ", saved"
}

// unsavedIn returns the part of a header for the unsaved text of a program.
func unsavedIn(program string) string { return "unsaved in " + program }
