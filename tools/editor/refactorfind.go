package editor

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// findRefactoring returns the refactoring that the arguments describe by path, kind and title.
func (e *Editor) findRefactoring(ctx context.Context, args ApplyRefactoringArgs) (*offeredRefactoring, error) {
	kind := strings.TrimSpace(args.Kind)
	switch {
	case args.Path == "" || kind == "":
		return nil, invalid("give the refactoringId of list_refactorings, or path and kind", "the arguments name no refactoring")
	case args.Glob != "":
		return e.refactorFiles(ctx, args, kind)
	case args.StartLine == 0 && !isSource(kind):
		return nil, invalid("give startLine, and code for a part of the lines", "the kind %s is for a part of a file", quote(kind))
	}
	doc, err := e.openDocument(ctx, args.Path)
	if hasCode(err, security.IsDirectory) {
		return nil, invalid("give glob, such as **/*.go, to choose files below it", "%s is a directory", quote(args.Path))
	}
	if err != nil {
		return nil, err
	}
	return e.chooseRefactoring(ctx, doc, args, kind)
}

// isSource reports whether a kind is for a whole file.
func isSource(kind string) bool { return lsp.OfKind(kind, []string{"source"}) }

// chooseRefactoring returns the one refactoring of a document that has the kind and the title.
func (e *Editor) chooseRefactoring(ctx context.Context, doc *document, args ApplyRefactoringArgs, kind string) (*offeredRefactoring, error) {
	s := Selection{Path: args.Path, StartLine: max(args.StartLine, 1), EndLine: args.EndLine, Code: args.Code}
	suits := func(o *offeredRefactoring) bool {
		return isOffered(o, kind) && strings.Contains(strings.ToLower(o.refactoring.Title), strings.ToLower(args.Title)) && (args.Target == "" || o.refactoring.NeedsTarget)
	}
	var suitable, others []*offeredRefactoring
	// Some servers, for example clangd, do not use subkinds.
	for n, only := range []string{kind, "refactor"} {
		if n > 0 && (kind == "refactor" || suitable != nil || !lsp.OfKind(kind, []string{"refactor"})) {
			break
		}
		offers, err := e.refactorings(ctx, doc, s, []string{only}, suits)
		if err != nil {
			return nil, err
		}
		for _, o := range offers {
			if suits(o) {
				suitable = append(suitable, o)
			} else if lsp.OfKind(o.refactoring.Kind, []string{kind}) && !slices.ContainsFunc(others, func(other *offeredRefactoring) bool { return other.covers(o.refactoring) }) {
				others = append(others, o)
			}
		}
	}
	if len(suitable) == 0 {
		return nil, noRefactoring(doc, kind, others)
	}
	if one := preferOne(suitable, kind); one != nil {
		return one, nil
	}
	if isSource(kind) {
		return nil, problem(codeRefactoringChoice, "Give one of these kinds as kind.", "%s has refactorings of several kinds below %s: %s", quote(doc.path), quote(kind), kindsOf(suitable))
	}
	return nil, problem(codeRefactoringChoice, "Give a part of one of the titles as title.", "%s has several refactorings of the kind %s here: %s", quote(doc.path), quote(kind), describeRefactorings(suitable))
}

// isOffered reports whether a refactoring is possible and has a kind. Without subkinds, the title must have the words of the kind.
func isOffered(o *offeredRefactoring, kind string) bool {
	own := o.refactoring.Kind
	switch {
	case o.refactoring.Disabled != "":
		return false
	case own != "refactor" || kind == "refactor":
		return lsp.OfKind(own, []string{kind})
	}
	title := strings.ToLower(o.refactoring.Title)
	return !slices.ContainsFunc(kindWords(kind), func(word string) bool { return !strings.Contains(title, word) })
}

// kindWords returns the words of a kind after its first part, in lower case: "move", "new" and "file" of refactor.move.newFile.
func kindWords(kind string) []string {
	_, names, _ := strings.Cut(kind, ".")
	var spaced strings.Builder
	for _, r := range names {
		if unicode.IsUpper(r) {
			spaced.WriteByte('.')
		}
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return r == '.' })
}

// preferOne returns the refactoring to use, or nil if the choice is not clear. Of extractions into functions the one with the widest
// scope is used. For a whole file, the first one of several servers is used, unless they have different kinds below the requested one.
func preferOne(all []*offeredRefactoring, kind string) *offeredRefactoring {
	if len(all) == 1 {
		return all[0]
	}
	if isSource(kind) {
		return preferSource(all, kind)
	}
	var exact, best []*offeredRefactoring
	for _, o := range all {
		if o.refactoring.Kind == kind {
			exact = append(exact, o)
		}
		switch score := extractionScore(o); {
		case len(best) == 0 || score > extractionScore(best[0]):
			best = []*offeredRefactoring{o}
		case score == extractionScore(best[0]):
			best = append(best, o)
		}
	}
	for _, some := range [][]*offeredRefactoring{best, exact} {
		if len(some) > 0 && !slices.ContainsFunc(some, func(o *offeredRefactoring) bool { return o.refactoring.Title != some[0].refactoring.Title }) {
			return some[0]
		}
	}
	return nil
}

// preferSource is preferOne for a kind for whole files.
func preferSource(all []*offeredRefactoring, kind string) *offeredRefactoring {
	if n := slices.IndexFunc(all, func(o *offeredRefactoring) bool { return o.refactoring.Kind == kind }); n >= 0 {
		return all[n]
	}
	if slices.ContainsFunc(all, func(o *offeredRefactoring) bool { return o.refactoring.Kind != all[0].refactoring.Kind }) {
		return nil
	}
	return all[0]
}

// noRefactoring returns the error for a kind that is not offered.
func noRefactoring(doc *document, kind string, others []*offeredRefactoring) error {
	why := "nothing of this kind is offered for this code"
	if len(others) > 0 {
		why = "there is: " + describeRefactorings(others)
	}
	if isSource(kind) && len(others) == 0 {
		return problem(codeNoRefactoring, "Continue: there may be nothing to change.", "%s has no %s: %s", quote(doc.path), quote(kind), why)
	}
	return problem(codeNoRefactoring, "Select other code, or call list_refactorings for what it has.", "%s has no %s here: %s", quote(doc.path), quote(kind), why)
}

// describeRefactorings lists some refactorings for an error.
func describeRefactorings(all []*offeredRefactoring) string {
	var texts []string
	for _, o := range all[:min(len(all), maxOthers)] {
		texts = append(texts, describeRefactoring(o))
	}
	return strings.Join(texts, "; ")
}

// kindsOf lists the kinds of some refactorings with their titles, for an error.
func kindsOf(all []*offeredRefactoring) string {
	var texts []string
	seen := make(map[string]bool)
	for _, o := range all {
		if kind := o.refactoring.Kind; !seen[kind] && len(texts) < maxOthers {
			seen[kind] = true
			texts = append(texts, truncate.Line(kind, maxName)+" ("+describeRefactoring(o)+")")
		}
	}
	return strings.Join(texts, "; ")
}
