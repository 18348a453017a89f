package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// ApplyRefactoringArgs are the arguments of apply_refactoring.
type ApplyRefactoringArgs struct {
	// RefactoringID is an id of list_refactorings, extract_method or a preview.
	RefactoringID string `json:"refactoringId"`
	// Name is the name of a new declaration, for example an extracted variable. By default the language server chooses one.
	Name string `json:"name,omitempty" jsonschema:"maxLength=200,description=For the extracted code"`
	// Preview shows the change with an id that applies exactly it, and writes nothing. The default is true.
	Preview *bool `json:"preview,omitempty" jsonschema:"default=true,description=Writes nothing"`
}

// RefactoringResult is the result of apply_refactoring and extract_method.
type RefactoringResult struct {
	Success bool   `json:"success"` // always true: what failed is an error
	Title   string `json:"title"`
	Kind    string `json:"kind,omitempty"`
	// RefactoringID applies the previewed edits, once, while the files are unchanged. Use it with preview=false.
	RefactoringID string `json:"refactoringId,omitempty"`
	// NewName is the name of the new declaration, if it is known.
	NewName string `json:"newName,omitempty"`
	Changes
}

// ApplyRefactoring applies a refactoring to all of its files or none. It is the tool apply_refactoring. STALE_REFACTORING means
// that one of the files has changed.
func (e *Editor) ApplyRefactoring(ctx context.Context, args ApplyRefactoringArgs) (RefactoringResult, error) {
	preview := boolOr(args.Preview, true)
	use := e.refactored.pop
	if preview {
		use = e.refactored.get
	}
	o, ok := use(strings.TrimSpace(args.RefactoringID))
	if !ok {
		return RefactoringResult{}, problem(codeUnknownRefactoring, "Call list_refactorings again, and apply one of its answer.", "the refactoring %s is not known, or was applied already", quote(args.RefactoringID))
	}
	return e.refactor(ctx, o, args.Name, preview)
}

// refactor applies a refactoring, or shows what it would change.
func (e *Editor) refactor(ctx context.Context, o *offeredRefactoring, name string, preview bool) (RefactoringResult, error) {
	if err := checkName(name); err != nil {
		return RefactoringResult{}, err
	}
	r := RefactoringResult{Success: true, Title: truncate.Cut(o.refactoring.Title, maxName), Kind: truncate.Cut(o.refactoring.Kind, maxName)}
	shown, err := e.computeRefactoring(ctx, o, name)
	if err != nil {
		return RefactoringResult{}, err
	}
	r.NewName = shown.newName
	now := *o
	now.shown, now.digests = shown, map[string]string{}
	r.Changes, err = e.applyEdits(ctx, origin{o.Name(), o.document}, shown.edits, preview, func(t *transaction) error {
		for _, p := range t.files {
			was, known := o.digests[p.originalPath()]
			if was != p.previousDigest() && (known || o.shown != nil) {
				return staleRefactoring(p.path, nil)
			}
			now.digests[p.originalPath()] = p.previousDigest()
		}
		return nil
	})
	switch {
	case isStaleFile(err) || hasCode(err, security.AlreadyExists, security.FileNotFound):
		return RefactoringResult{}, staleRefactoring(r.Title, err)
	case err != nil:
		return RefactoringResult{}, err
	case len(r.Files) == 0:
		r.Notes = append(r.Notes, o.Name()+" has nothing to change")
	case preview:
		r.RefactoringID = rand.Text()[:16]
		e.refactored.put(r.RefactoringID, &now)
	}
	return r, nil
}

// computeRefactoring returns the previewed edits, or computes them with a name for the new declaration.
func (e *Editor) computeRefactoring(ctx context.Context, o *offeredRefactoring, name string) (*previewedEdits, error) {
	if o.shown != nil && (name == "" || name == o.shown.name) {
		return o.shown, nil
	}
	edits, err := callAdapter(ctx, o.Adapter, computeTimeout, func(ctx context.Context) ([]adapter.FileEdit, error) {
		return o.refactorer.Refactor(ctx, o.refactoring)
	})
	switch {
	case err == nil:
		return e.applyName(ctx, o, edits, name)
	case isStaleAdapter(err):
		return nil, staleRefactoring(o.refactoring.Title, err)
	}
	return nil, failed(codeLanguageServer, "working out "+quote(o.refactoring.Title), err)
}

func staleRefactoring(what string, cause error) error {
	return withCause(problem(codeStaleRefactoring, "Call list_refactorings or extract_method again.", "%s has changed since the refactoring was made for it", quote(what)), cause)
}

// TextContent returns the result as text for a model.
func (r RefactoringResult) TextContent() string {
	what := r.Title
	if r.NewName != "" {
		what += ", called " + r.NewName
	}
	text := r.Changes.text(what)
	if r.RefactoringID != "" {
		text += fmt.Sprintf("[to apply it: apply_refactoring refactoringId=%s preview=false]\n", r.RefactoringID)
	}
	return text
}
