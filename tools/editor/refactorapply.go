package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
)

// ApplyRefactoringArgs are the arguments of apply_refactoring: a RefactoringID, or Path and Kind.
type ApplyRefactoringArgs struct {
	// RefactoringID is an id of list_refactorings, extract_method or a preview.
	RefactoringID string `json:"refactoringId,omitempty"`
	// Path is a file, or with Glob a directory. StartLine, EndLine and Code select code as in [Selection]; they are not needed for
	// kinds of whole files.
	Path string `json:"path,omitempty"`
	// Glob selects the files below Path for a kind of whole files, for example "**/*.ts".
	Glob      string `json:"glob,omitempty" jsonschema:"description=Files below path\\, for source kinds"`
	StartLine int    `json:"startLine,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	Code      string `json:"code,omitempty" jsonschema:"description=In these lines"`
	// Kind is a kind of the Language Server Protocol, for example "refactor.inline" or "source.fixAll".
	Kind string `json:"kind,omitempty" jsonschema:"description=refactor.extract.function\\, source.fixAll …"`
	// Title is a part of the title, if several refactorings have the kind.
	Title string `json:"title,omitempty" jsonschema:"description=Part of it\\, if several have the kind"`
	// Target is the file that receives moved code. It may be missing.
	Target string `json:"target,omitempty" jsonschema:"description=File to move the code to"`
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
	o, err := e.requestedRefactoring(ctx, args, preview)
	if err != nil {
		return RefactoringResult{}, err
	}
	if args.Target != "" {
		if o, err = e.withTarget(ctx, o, args.Target); err != nil {
			return RefactoringResult{}, err
		}
	}
	if o.refactoring.NeedsTarget && o.refactoring.Target == "" {
		return RefactoringResult{}, invalid("give target, the path of the file, which may be new", "%s needs a file to move the code to", quote(o.refactoring.Title))
	}
	return e.refactor(ctx, o, args.Name, preview)
}

// requestedRefactoring returns the refactoring of the id, or of path and kind. An id is used up unless the call is a preview.
func (e *Editor) requestedRefactoring(ctx context.Context, args ApplyRefactoringArgs, preview bool) (*offeredRefactoring, error) {
	id := strings.TrimSpace(args.RefactoringID)
	switch {
	case id == "":
		return e.findRefactoring(ctx, args)
	case args.Path != "" || args.Kind != "":
		return nil, invalid("leave one of them out", "refactoringId does not go together with path or kind")
	}
	use := e.refactored.pop
	if preview {
		use = e.refactored.get
	}
	o, ok := use(id)
	if !ok {
		return nil, problem(codeUnknownRefactoring, "Call list_refactorings again, and apply one of its answer.", "the refactoring %s is not known, or was applied already", quote(args.RefactoringID))
	}
	return o, nil
}

// withTarget returns a refactoring with the file that receives moved code.
func (e *Editor) withTarget(ctx context.Context, o *offeredRefactoring, target string) (*offeredRefactoring, error) {
	if !o.refactoring.NeedsTarget {
		return nil, invalid("leave target out", "%s has no target", quote(o.refactoring.Title))
	}
	path, err := e.resolveMoveTarget(ctx, target)
	if err != nil {
		return nil, err
	}
	if path == o.document {
		return nil, invalid("name another file", "%s is the file of the code", quote(target))
	}
	if o.refactoring.Target == path {
		return o, nil
	}
	targeted := *o
	targeted.refactoring.Target, targeted.shown = path, nil
	return &targeted, nil
}

// resolveMoveTarget returns the absolute path of a file that receives moved code. The file may be missing.
func (e *Editor) resolveMoveTarget(ctx context.Context, target string) (string, error) {
	o := security.UpdateOptions{DryRun: true, Create: true, CreateDirs: true, MaxSize: e.limits.MaxFile}
	done, err := e.root.Update(ctx, target, o, func(old []byte, _ security.FileInfo) ([]byte, error) { return old, nil })
	if err != nil {
		return "", err
	}
	return e.fileAt(done.Location).abs, nil
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
	r.Changes, err = e.applyEdits(ctx, o.origin(), shown.edits, preview, func(t *transaction) error {
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
		if !o.files {
			r.Notes = append(r.Notes, o.Name()+" has nothing to change")
		}
	case preview:
		r.RefactoringID = rand.Text()[:16]
		e.refactored.put(r.RefactoringID, &now)
	}
	r.Notes = append(r.Notes, o.notes...)
	return r, nil
}

// computeRefactoring returns the previewed edits, or computes them with a name for the new declaration.
func (e *Editor) computeRefactoring(ctx context.Context, o *offeredRefactoring, name string) (*previewedEdits, error) {
	if o.shown != nil && (name == "" || name == o.shown.name) {
		return o.shown, nil
	}
	edits, err := o.compute(ctx)
	if err != nil {
		return nil, err
	}
	return e.applyName(ctx, o, edits, name)
}

func staleRefactoring(what string, cause error) error {
	return withCause(problem(codeStaleRefactoring, "Call list_refactorings, extract_method or apply_refactoring again for the present code.", "%s has changed since the refactoring was made for it", quote(what)), cause)
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
