package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// ExtractMethodArgs are the arguments of extract_method.
type ExtractMethodArgs struct {
	Selection
	// Name is the name of the new method or function. By default the language server chooses one.
	Name string `json:"name,omitempty" jsonschema:"maxLength=200"`
	// Preview shows the change with an id for apply_refactoring and writes nothing. The default is true.
	Preview *bool `json:"preview,omitempty" jsonschema:"default=true,description=Writes nothing"`
}

// ExtractMethod extracts code into a method or function. It is the tool extract_method.
func (e *Editor) ExtractMethod(ctx context.Context, args ExtractMethodArgs) (RefactoringResult, error) {
	if err := checkName(args.Name); err != nil {
		return RefactoringResult{}, err
	}
	doc, err := e.openDocument(ctx, args.Path)
	if err != nil {
		return RefactoringResult{}, err
	}
	var best *offeredRefactoring
	var offers []*offeredRefactoring
	// Some servers, for example clangd, do not use subkinds.
	for _, kind := range []string{"refactor.extract", "refactor"} {
		if offers, err = e.refactorings(ctx, doc, args.Selection, []string{kind}, isExtraction); err != nil {
			return RefactoringResult{}, err
		}
		for _, o := range offers {
			if extractionScore(o) > extractionScore(best) {
				best = o
			}
		}
		if best != nil {
			break
		}
	}
	var others []string
	for _, o := range offers {
		if o != best && len(others) < maxOthers {
			others = append(others, describeRefactoring(o))
		}
	}
	if best == nil {
		why := "it offers nothing here"
		if len(others) > 0 {
			why = "there is: " + strings.Join(others, "; ")
		}
		return RefactoringResult{}, problem(codeNoRefactoring, "Select whole statements of one function, or an expression by code; list_refactorings lists the other refactorings.",
			"no language server makes a method of this code of %s: %s", quote(doc.path), why)
	}
	r, err := e.refactor(ctx, best, args.Name, boolOr(args.Preview, true))
	if err == nil && len(others) > 0 {
		r.Notes = append(r.Notes, "list_refactorings has this, too: "+strings.Join(others, "; "))
	}
	return r, err
}

const maxOthers = 6

func isExtraction(o *offeredRefactoring) bool { return extractionScore(o) > 0 }

// extractionScore ranks refactorings for extract_method; 0 is unsuitable. A method is preferred to a global function, and that
// to a nested one.
func extractionScore(o *offeredRefactoring) int {
	if o == nil || o.refactoring.Disabled != "" {
		return 0
	}
	title, kind := strings.ToLower(o.refactoring.Title), o.refactoring.Kind
	last := kind[strings.LastIndexByte(kind, '.')+1:]
	switch {
	case last != "method" && last != "function" && !strings.HasPrefix(title, "extract"):
		return 0
	case strings.Contains(title, "inner function") || strings.Contains(title, "closure"):
		return 1
	case last == "method" || strings.Contains(title, "to method") || strings.Contains(title, "extract method"):
		return 4
	case last != "function" && !strings.Contains(title, "function"):
		return 0
	case strings.Contains(title, "module scope") || strings.Contains(title, "global scope"):
		return 3
	}
	return 2
}

func describeRefactoring(o *offeredRefactoring) string {
	text := truncate.Line(o.refactoring.Title, maxName)
	if o.refactoring.Disabled != "" {
		text = fmt.Sprintf("%s (not here: %s)", text, truncate.Line(o.refactoring.Disabled, maxName))
	}
	return text
}
