package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// ListRefactoringsArgs are the arguments of list_refactorings.
type ListRefactoringsArgs struct {
	Stretch
	// Kind limits the answer to a kind and those below it, such as "refactor.extract"; by default "refactor" and "source".
	Kind string `json:"kind,omitempty" jsonschema:"maxLength=100,description=refactor.extract\\, refactor.inline\\, refactor.rewrite\\, source.organizeImports …"`
}

// ListRefactoringsResult is what list_refactorings answers.
type ListRefactoringsResult struct {
	Refactorings []Refactoring `json:"refactorings"`
	// Notes say what the answer lacks.
	Notes []string `json:"notes,omitempty"`
}

// Refactoring is a change of code that keeps what it does.
type Refactoring struct {
	// RefactoringID is for apply_refactoring; empty for one that is disabled. It is good until the file changes.
	RefactoringID string `json:"refactoringId,omitempty"`
	Title         string `json:"title"`
	Kind          string `json:"kind,omitempty"`
	Preferred     bool   `json:"preferred,omitempty"` // the one to take when nobody chooses
	// Disabled is why it cannot be done with this code.
	Disabled string `json:"disabled,omitempty"`
}

const (
	maxRefactorings  = 256
	mostRefactorings = 40 // of an answer
)

// offeredRefactoring is one that a caller can apply.
type offeredRefactoring struct {
	adapter.Adapter
	refactorer adapter.Refactorer
	what       adapter.Refactoring
	given      string            // the document that it was asked for
	digests    map[string]string // of the files that it is for, by their absolute names; "" for one that is to be made
	shown      *shownEdits       // nil before a preview
}

// shownEdits are those that a caller has seen.
type shownEdits struct {
	edits  []adapter.FileEdit
	name   string // which the caller gave to what is new; or ""
	called string // what is new is called that; or "" where that is not known
}

// ListRefactorings is list_refactorings.
func (e *Editor) ListRefactorings(ctx context.Context, args ListRefactoringsArgs) (ListRefactoringsResult, error) {
	kinds := []string{"refactor", "source"}
	if kind := strings.TrimSpace(args.Kind); kind != "" {
		kinds = []string{kind}
	}
	doc, err := e.read(ctx, args.Path)
	if err != nil {
		return ListRefactoringsResult{}, err
	}
	offers, err := e.refactorings(ctx, doc, args.Stretch, kinds, func(o *offeredRefactoring) bool { return o.what.Disabled == "" })
	if err != nil {
		return ListRefactoringsResult{}, err
	}
	result := ListRefactoringsResult{Refactorings: []Refactoring{}}
	if len(offers) > mostRefactorings {
		result.Notes = append(result.Notes, count(len(offers)-mostRefactorings, "refactoring")+" more were left out; name a kind")
		offers = offers[:mostRefactorings]
	}
	for _, o := range offers {
		result.Refactorings = append(result.Refactorings, e.offer(o))
	}
	if len(offers) == 0 {
		result.Notes = append(result.Notes, "nothing is offered for this code; other lines or columns may have more")
	}
	return result, nil
}

// offer makes a refactoring one that can be applied.
func (e *Editor) offer(o *offeredRefactoring) Refactoring {
	r := Refactoring{Title: truncate.Cut(o.what.Title, maxName), Kind: truncate.Cut(o.what.Kind, maxName), Preferred: o.what.Preferred, Disabled: truncate.Cut(o.what.Disabled, maxMessage)}
	if r.Disabled == "" {
		r.RefactoringID = rand.Text()[:16]
		e.refactored.put(r.RefactoringID, o)
	}
	return r
}

// refactorings asks one adapter after another what can be done with code, until one has something that is wanted.
func (e *Editor) refactorings(ctx context.Context, doc *document, s Stretch, kinds []string, wanted func(*offeredRefactoring) bool) ([]*offeredRefactoring, error) {
	part, err := s.rangeIn(doc)
	if err != nil {
		return nil, err
	}
	var all []*offeredRefactoring
	var failure error
	refused := refusals{}
	answered := false
	for a, refactorer := range able[adapter.Refactorer](e, &doc.place) {
		found, err := askAgain(ctx, e, a, thought, func(ctx context.Context) ([]adapter.Refactoring, error) {
			return refactorer.Refactorings(ctx, doc.adapted(), part, kinds)
		})
		if err != nil {
			if !passes(err) {
				failure = err
			} else {
				refused[a.Name()] = err
			}
			continue
		}
		answered = true
		for _, what := range found {
			all = append(all, &offeredRefactoring{Adapter: a, refactorer: refactorer, what: what, given: doc.abs, digests: map[string]string{doc.abs: doc.sha256}})
		}
		if slices.ContainsFunc(all, wanted) {
			return all, nil
		}
	}
	switch {
	case answered:
		return all, nil
	case failure != nil:
		return nil, failed(codeLanguageServer, "looking for refactorings", failure)
	}
	return nil, missing[adapter.Refactorer](e, codeNoLanguageServer, "refactor "+quote(doc.path), &doc.place, refused)
}

// TextContent is what a model reads.
func (r ListRefactoringsResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", count(len(r.Refactorings), "refactoring"))
	for _, f := range r.Refactorings {
		switch {
		case f.Disabled != "":
			fmt.Fprintf(&b, "not here: %s (%s): %s\n", f.Title, f.Kind, f.Disabled)
		case f.Preferred:
			fmt.Fprintf(&b, "refactoringId %s: %s (%s, preferred)\n", f.RefactoringID, f.Title, f.Kind)
		default:
			fmt.Fprintf(&b, "refactoringId %s: %s (%s)\n", f.RefactoringID, f.Title, f.Kind)
		}
	}
	writeNotes(&b, r.Notes)
	return b.String()
}
