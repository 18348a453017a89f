package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// ExtractMethodArgs are the arguments of extract_method.
type ExtractMethodArgs struct {
	Stretch
	// Name is that of the new method or function. Without it the language server chooses one.
	Name string `json:"name,omitempty" jsonschema:"maxLength=200"`
	// Preview answers what would change, with the id for apply_refactoring, and writes nothing.
	Preview *bool `json:"preview,omitempty" jsonschema:"default=true,description=Writes nothing"`
}

// ExtractMethod is extract_method: it makes a method or a function of some code.
func (e *Editor) ExtractMethod(ctx context.Context, args ExtractMethodArgs) (RefactoringResult, error) {
	if err := checkName(args.Name); err != nil {
		return RefactoringResult{}, err
	}
	doc, err := e.read(ctx, args.Path)
	if err != nil {
		return RefactoringResult{}, err
	}
	var best *offeredRefactoring
	var offers []*offeredRefactoring
	// Some servers, such as clangd, know no kinds below the first.
	for _, kind := range []string{"refactor.extract", "refactor"} {
		if offers, err = e.refactorings(ctx, doc, args.Stretch, []string{kind}, extracts); err != nil {
			return RefactoringResult{}, err
		}
		for _, o := range offers {
			if extraction(o) > extraction(best) {
				best = o
			}
		}
		if best != nil {
			break
		}
	}
	var others []string
	for _, o := range offers {
		if o != best && len(others) < mostOthers {
			others = append(others, described(o))
		}
	}
	if best == nil {
		why := "it offers nothing here"
		if len(others) > 0 {
			why = "there is: " + strings.Join(others, "; ")
		}
		return RefactoringResult{}, problem(codeNoRefactoring, "Select whole statements of one function, or an expression by code; list_refactorings tells what else there is.",
			"no language server makes a method of this code of %s: %s", quote(doc.path), why)
	}
	r, err := e.refactor(ctx, best, args.Name, or(args.Preview, true))
	if err == nil && len(others) > 0 {
		r.Notes = append(r.Notes, "list_refactorings has this, too: "+strings.Join(others, "; "))
	}
	return r, err
}

const mostOthers = 6

func extracts(o *offeredRefactoring) bool { return extraction(o) > 0 }

// extraction tells how well a refactoring is what is wanted; 0 if it is not. Where there is a choice, a method of the type comes
// before a function for all, and that before one inside of another.
func extraction(o *offeredRefactoring) int {
	if o == nil || o.what.Disabled != "" {
		return 0
	}
	title, kind := strings.ToLower(o.what.Title), o.what.Kind
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

func described(o *offeredRefactoring) string {
	text := truncate.Line(o.what.Title, maxName)
	if o.what.Disabled != "" {
		text = fmt.Sprintf("%s (not here: %s)", text, truncate.Line(o.what.Disabled, maxName))
	}
	return text
}
