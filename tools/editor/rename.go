package editor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// RenameArgs are the arguments of rename_symbol.
type RenameArgs struct {
	Target
	NewName string `json:"newName" jsonschema:"minLength=1,maxLength=200"`
	// DryRun shows the change and writes nothing. The default is true.
	DryRun *bool `json:"dryRun,omitempty" jsonschema:"default=true,description=Writes nothing"`
}

// RenameResult is the result of rename_symbol.
type RenameResult struct {
	OldName string `json:"oldName"`
	NewName string `json:"newName"`
	// Locations is the number of replaced occurrences.
	Locations int `json:"places"`
	Changes
}

// Rename renames a symbol everywhere or not at all. It is the tool rename_symbol.
func (e *Editor) Rename(ctx context.Context, args RenameArgs) (RenameResult, error) {
	if args.NewName == "" || len(args.NewName) > 800 || strings.ContainsFunc(args.NewName, unicode.IsControl) {
		return RenameResult{}, invalid("give a name of the language", "%s is no name", quote(args.NewName))
	}
	a, err := e.resolveTarget(ctx, args.Target)
	if err != nil {
		return RenameResult{}, err
	}
	if a.name == "" {
		return RenameResult{}, problem(codeSymbolNotFound, "Give the position of a name, or the symbol.", "there is no name at line %d, column %d of %s", a.at.Line, a.at.Column, quote(a.doc.path))
	}
	memberOnly, err := checkNewName(a, args.NewName)
	if err != nil {
		return RenameResult{}, err
	}
	edits, by, err := e.requestRename(ctx, a, args.NewName)
	if err != nil {
		return RenameResult{}, err
	}
	r := RenameResult{OldName: a.name, NewName: args.NewName}
	reason, next := e.unindexed(by, a.doc.projectFile)
	var left remainingNames
	var clashes nameClashes
	r.Changes, err = e.applyEdits(ctx, origin{by, a.doc.abs}, edits, boolOr(args.DryRun, true), func(t *transaction) error {
		for _, p := range t.files {
			if p.originalPath() == a.doc.abs && p.previousDigest() != a.doc.sha256 {
				return stale(p.path, p.previousDigest(), a.doc.sha256)
			}
		}
		for _, edit := range edits {
			if err := t.checkNames(edit, a.name, by); err != nil {
				return err
			}
			r.Locations += len(edit.Edits)
		}
		clashes = e.findNameClashes(ctx, t, edits, a.name, args.NewName)
		switch {
		case memberOnly && !clashes.members:
			return invalid("give another name", "%s is a reserved word%s, and %s is no member of a type", quote(args.NewName), inLanguage(nameLanguage(a.doc)), quote(a.name))
		case clashes.taken != "":
			return problem(codeNameTaken, "Choose another name.", "%s is declared in the same scope already, at %s", quote(args.NewName), clashes.taken)
		}
		var err error
		if left, err = e.findRemainingNames(ctx, t, a.doc.projectFile, a.name); err != nil {
			return err
		}
		if reason != "" && !boolOr(args.DryRun, true) && (len(left.paths) > 0 || !left.all) {
			return notIndexed(a.name, reason, next, left)
		}
		return nil
	})
	if err != nil {
		return RenameResult{}, err
	}
	if reason != "" {
		r.Notes = append(r.Notes, punctuation.Clause(punctuation.Sentences(reason, next)))
	}
	if note := clashes.note(args.NewName); note != "" {
		r.Notes = append(r.Notes, note)
	}
	r.Notes = append(r.Notes, left.notes(a.name)...)
	if len(edits) == 0 {
		r.Notes = append(r.Notes, by+" knows nothing to change")
	}
	return r, nil
}

// requestRename returns the edits of the first adapter that supports the rename.
func (e *Editor) requestRename(ctx context.Context, a namePosition, name string) ([]adapter.FileEdit, string, error) {
	refused := refusals{}
	servers, cancel := context.WithTimeout(ctx, e.options.referencesTime)
	defer cancel()
	for ad, n := range adaptersWith[adapter.Navigator](e, &a.doc.projectFile) {
		edits, err := callAdapter(servers, ad, computeTimeout, func(ctx context.Context) ([]adapter.FileEdit, error) {
			return n.Rename(ctx, a.doc.adapterDocument(), a.at, name)
		})
		switch {
		case isUnsupported(err):
			refused[ad.Name()] = err
			continue
		case err != nil && servers.Err() != nil && ctx.Err() == nil:
			return nil, "", e.lateRename(ctx, a)
		case err != nil:
			return nil, "", failed(codeLanguageServer, "renaming "+quote(a.name), err)
		}
		return edits, ad.Name(), nil
	}
	return nil, "", missingCapability[adapter.Navigator](e, codeNoLanguageServer, "rename "+quote(a.name), &a.doc.projectFile, refused)
}

// maxNamedPlaces is the number of places that the error for a late rename names.
const maxNamedPlaces = 10

// lateRename returns the error for a rename that a language server has not computed in time. It names the places of the name.
func (e *Editor) lateRename(ctx context.Context, a namePosition) error {
	message := fmt.Sprintf("renaming %s: the language server did not answer within %v. Nothing was written", quote(a.name), e.options.referencesTime)
	found, note, err := e.occurrences(ctx, a)
	if err == nil {
		cache := &fileCache{e: e}
		var places []string
		for _, l := range cache.sorted(ctx, found) {
			if p := cache.place(ctx, l.Path); p != nil && len(places) < maxNamedPlaces {
				places = append(places, p.path+":"+number(l.Range.Start.Line))
			}
		}
		message += fmt.Sprintf(". By name, it occurs at %s, also in comments and strings: %s", plural.Count(len(found), "place"), strings.Join(slices.Compact(places), ", "))
		if len(found) > len(places) {
			message += " and more"
		}
		if note != "" {
			message += "; " + note
		}
	}
	return problem(string(security.Timeout), "Call again: the server may have read the project by then. Or change the places by other means.", "%s", message)
}

// notIndexed refuses a rename if files that the language server has not indexed contain the old name.
func notIndexed(name, reason, next string, left remainingNames) error {
	return problem(codeNotIndexed, next+" Or change these files by other means.", "nothing was written: %s, and %s", reason, strings.Join(left.notes(name), "; "))
}

// checkNames refuses edits that replace other text than the name: the adapter has an outdated content.
func (t *transaction) checkNames(edit adapter.FileEdit, name, by string) error {
	p := t.byPath[edit.Path]
	if p == nil || p.original == nil || edit.Op != adapter.ChangeFile {
		return nil
	}
	text := adapter.NewText(p.original.text.Content)
	for _, change := range edit.Edits {
		start, err := text.Offset(change.Range.Start)
		if err != nil {
			return err
		}
		end, err := text.Offset(change.Range.End)
		if err != nil {
			return err
		}
		if was := p.original.text.Content[start:end]; was != "" && !strings.Contains(was, name) {
			return problem(codeLanguageServer, "Call again in a moment; the language server has not reloaded the files yet.",
				"%s wants to replace %s in line %d of %s, which is not the name %s", by, quote(was), change.Range.Start.Line, quote(p.path), quote(name))
		}
	}
	return nil
}

// TextContent returns the result as text for a model.
func (r RenameResult) TextContent() string {
	return r.Changes.text(fmt.Sprintf("%s to %s at %s", r.OldName, r.NewName, plural.Count(r.Locations, "place")))
}
