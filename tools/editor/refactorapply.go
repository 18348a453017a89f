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
	// RefactoringID is one that list_refactorings, extract_method or a preview has answered.
	RefactoringID string `json:"refactoringId"`
	// Name is that of what is new, such as an extracted variable, where the language server chooses one itself.
	Name string `json:"name,omitempty" jsonschema:"maxLength=200,description=For what is extracted"`
	// Preview answers what would change, with the id that applies just that, and writes nothing.
	Preview *bool `json:"preview,omitempty" jsonschema:"default=true,description=Writes nothing"`
}

// RefactoringResult is what apply_refactoring and extract_method answer.
type RefactoringResult struct {
	Success bool   `json:"success"` // always true: what failed is an error
	Title   string `json:"title"`
	Kind    string `json:"kind,omitempty"`
	// RefactoringID applies what a preview has shown, with preview=false, once, and as long as none of the files changes.
	RefactoringID string `json:"refactoringId,omitempty"`
	// NewName is what the language server or the caller has called what is new, where that is known.
	NewName string `json:"newName,omitempty"`
	Changes
}

// ApplyRefactoring is apply_refactoring. It changes all files or none, and only those that it was made for: STALE_REFACTORING
// says that one of them has changed since.
func (e *Editor) ApplyRefactoring(ctx context.Context, args ApplyRefactoringArgs) (RefactoringResult, error) {
	preview := or(args.Preview, true)
	use := e.refactored.take
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
	r := RefactoringResult{Success: true, Title: truncate.Cut(o.what.Title, maxName), Kind: truncate.Cut(o.what.Kind, maxName)}
	shown, err := e.shownOf(ctx, o, name)
	if err != nil {
		return RefactoringResult{}, err
	}
	r.NewName = shown.called
	now := *o
	now.shown, now.digests = shown, map[string]string{}
	r.Changes, err = e.carryOut(ctx, origin{o.Name(), o.given}, shown.edits, preview, func(t *transaction) error {
		for _, p := range t.files {
			was, known := o.digests[p.key()]
			if was != p.before() && (known || o.shown != nil) {
				return staleRefactoring(p.path, nil)
			}
			now.digests[p.key()] = p.before()
		}
		return nil
	})
	switch {
	case errStale(err) || hasCode(err, security.AlreadyExists, security.FileNotFound):
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

// shownOf is what a refactoring changes, with a name for what is new: what the caller has seen, or what is worked out now.
func (e *Editor) shownOf(ctx context.Context, o *offeredRefactoring, name string) (*shownEdits, error) {
	if o.shown != nil && (name == "" || name == o.shown.name) {
		return o.shown, nil
	}
	edits, err := ask(ctx, o.Adapter, thought, func(ctx context.Context) ([]adapter.FileEdit, error) {
		return o.refactorer.Refactor(ctx, o.what)
	})
	switch {
	case err == nil:
		return e.named(ctx, o, edits, name)
	case errIsStale(err):
		return nil, staleRefactoring(o.what.Title, err)
	}
	return nil, failed(codeLanguageServer, "working out "+quote(o.what.Title), err)
}

func staleRefactoring(what string, cause error) error {
	return asTool(problem(codeStaleRefactoring, "Call list_refactorings or extract_method again.", "%s has changed since the refactoring was made for it", quote(what)), cause)
}

// TextContent is what a model reads.
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
