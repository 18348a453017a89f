package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// ListRefactoringsArgs are the arguments of list_refactorings.
type ListRefactoringsArgs struct {
	Selection
	// Kind selects a kind and its subkinds, for example "refactor.extract". The default is "refactor" and "source".
	Kind string `json:"kind,omitempty" jsonschema:"maxLength=100,description=refactor.extract\\, refactor.inline\\, refactor.rewrite\\, source.organizeImports …"`
}

// ListRefactoringsResult is the result of list_refactorings.
type ListRefactoringsResult struct {
	Refactorings []Refactoring `json:"refactorings"`
	// Notes describe gaps of the result.
	Notes []string `json:"notes,omitempty"`
}

// Refactoring is a change of code that preserves its behaviour.
type Refactoring struct {
	// RefactoringID is the argument of apply_refactoring. It is empty for a disabled refactoring, and valid until the file
	// changes.
	RefactoringID string `json:"refactoringId,omitempty"`
	Title         string `json:"title"`
	Kind          string `json:"kind,omitempty"`
	Preferred     bool   `json:"preferred,omitempty"` // the language server recommends it
	// Disabled is the reason why the refactoring is not possible here.
	Disabled string `json:"disabled,omitempty"`
	// NeedsTarget means that apply_refactoring needs the target, a file.
	NeedsTarget bool `json:"needsTarget,omitempty"`
}

const (
	maxRefactorings       = 256
	maxListedRefactorings = 40 // of an answer
)

// offeredRefactoring is a refactoring that has been returned to a caller.
type offeredRefactoring struct {
	adapter.Adapter
	refactorer  adapter.Refactorer
	refactoring adapter.Refactoring
	document    string            // path of the document of the selection
	digests     map[string]string // by absolute path; "" for a new file
	shown       *previewedEdits   // nil before a preview
	files       bool              // of the files of a glob; the edits come from several documents
	notes       []string          // for the caller
}

// origin returns the origin of the edits.
func (o *offeredRefactoring) origin() origin {
	if o.files {
		return origin{}
	}
	return origin{o.Name(), o.document}
}

// covers reports whether the refactoring makes an equal one of another adapter superfluous.
func (o *offeredRefactoring) covers(other adapter.Refactoring) bool {
	own := o.refactoring
	return own.Title == other.Title && own.Kind == other.Kind && (own.Disabled == "" || other.Disabled != "")
}

// compute returns the edits of the refactoring.
func (o *offeredRefactoring) compute(ctx context.Context) ([]adapter.FileEdit, error) {
	edits, err := callAdapter(ctx, o.Adapter, computeTimeout, func(ctx context.Context) ([]adapter.FileEdit, error) {
		return o.refactorer.Refactor(ctx, o.refactoring)
	})
	switch {
	case err == nil:
		return edits, nil
	case isStaleAdapter(err):
		return nil, staleRefactoring(o.refactoring.Title, err)
	}
	return nil, failed(codeLanguageServer, "working out "+quote(o.refactoring.Title), err)
}

// previewedEdits are the edits of a preview.
type previewedEdits struct {
	edits   []adapter.FileEdit
	name    string // name from the caller for the new declaration, or ""
	newName string // name of the new declaration; "" if unknown
}

// ListRefactorings returns the refactorings of a selection. It is the tool list_refactorings.
func (e *Editor) ListRefactorings(ctx context.Context, args ListRefactoringsArgs) (ListRefactoringsResult, error) {
	kinds := []string{"refactor", "source"}
	if kind := strings.TrimSpace(args.Kind); kind != "" {
		kinds = []string{kind}
	}
	doc, err := e.openDocument(ctx, args.Path)
	if err != nil {
		return ListRefactoringsResult{}, err
	}
	offers, err := e.refactorings(ctx, doc, args.Selection, kinds, func(o *offeredRefactoring) bool { return o.refactoring.Disabled == "" })
	if err != nil {
		return ListRefactoringsResult{}, err
	}
	result := ListRefactoringsResult{Refactorings: []Refactoring{}}
	if args.Kind == "" {
		offers, result.Notes = leaveOutDisabled(offers)
	}
	if len(offers) > maxListedRefactorings {
		result.Notes = append(result.Notes, plural.Count(len(offers)-maxListedRefactorings, "refactoring")+" more were left out; name a kind")
		offers = offers[:maxListedRefactorings]
	}
	for _, o := range offers {
		result.Refactorings = append(result.Refactorings, e.registerRefactoring(o))
	}
	if len(offers) == 0 {
		result.Notes = append(result.Notes, "nothing is offered for this code; other lines or columns may have more")
	}
	return result, nil
}

// leaveOutDisabled removes the disabled refactorings if there are many of them beside others.
func leaveOutDisabled(all []*offeredRefactoring) (kept []*offeredRefactoring, notes []string) {
	for _, o := range all {
		if o.refactoring.Disabled == "" {
			kept = append(kept, o)
		}
	}
	disabled := len(all) - len(kept)
	if len(kept) == 0 || disabled <= maxOthers {
		return all, nil
	}
	return kept, []string{plural.Count(disabled, "refactoring") + " cannot be done here; kind, for example refactor.extract, shows the reasons"}
}

// registerRefactoring stores a refactoring for apply_refactoring.
func (e *Editor) registerRefactoring(o *offeredRefactoring) Refactoring {
	r := Refactoring{Title: truncate.Cut(o.refactoring.Title, maxName), Kind: truncate.Cut(o.refactoring.Kind, maxName), Preferred: o.refactoring.Preferred, Disabled: truncate.Cut(o.refactoring.Disabled, maxMessage), NeedsTarget: o.refactoring.NeedsTarget}
	if r.Disabled == "" {
		r.RefactoringID = rand.Text()[:16]
		e.refactored.put(r.RefactoringID, o)
	}
	return r
}

// refactorings queries the adapters in order until one offers a refactoring that wanted accepts.
func (e *Editor) refactorings(ctx context.Context, doc *document, s Selection, kinds []string, wanted func(*offeredRefactoring) bool) ([]*offeredRefactoring, error) {
	part, err := s.adapterRange(doc)
	if err != nil {
		return nil, err
	}
	var all []*offeredRefactoring
	var failure error
	refused := refusals{}
	answered := false
	for a, refactorer := range adaptersWith[adapter.Refactorer](e, &doc.projectFile) {
		found, err := retryAdapter(ctx, e, a, computeTimeout, func(ctx context.Context) ([]adapter.Refactoring, error) {
			return refactorer.Refactorings(ctx, doc.adapterDocument(), part, kinds)
		})
		if err != nil && !isUnsupported(err) {
			failure = err
			continue
		}
		if err != nil {
			refused[a.Name()] = err
		}
		answered = answered || err == nil || len(found) > 0
		for _, what := range found {
			if slices.ContainsFunc(all, func(o *offeredRefactoring) bool { return o.Name() != a.Name() && o.covers(what) }) {
				continue // two adapters use the same language server
			}
			all = append(all, &offeredRefactoring{Adapter: a, refactorer: refactorer, refactoring: what, document: doc.abs, digests: map[string]string{doc.abs: doc.sha256}})
		}
		if err == nil && slices.ContainsFunc(all, wanted) {
			return all, nil
		}
	}
	switch {
	case answered:
		return all, nil
	case failure != nil:
		return nil, failed(codeLanguageServer, "looking for refactorings", failure)
	}
	return nil, missingCapability[adapter.Refactorer](e, codeNoLanguageServer, "refactor "+quote(doc.path), &doc.projectFile, refused)
}

// TextContent returns the result as text for a model.
func (r ListRefactoringsResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", plural.Count(len(r.Refactorings), "refactoring"))
	for _, f := range r.Refactorings {
		if f.Disabled != "" {
			fmt.Fprintf(&b, "not here: %s (%s): %s\n", f.Title, f.Kind, f.Disabled)
			continue
		}
		fmt.Fprintf(&b, "refactoringId %s: %s (%s", f.RefactoringID, f.Title, f.Kind)
		if f.Preferred {
			b.WriteString(", preferred")
		}
		if f.NeedsTarget {
			b.WriteString(", needs target")
		}
		b.WriteString(")\n")
	}
	writeNotes(&b, r.Notes)
	return b.String()
}
