package editor

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// RenameArgs are the arguments of rename_symbol.
type RenameArgs struct {
	Target
	NewName string `json:"newName" jsonschema:"minLength=1,maxLength=200"`
	// DryRun answers what would change, and writes nothing.
	DryRun *bool `json:"dryRun,omitempty" jsonschema:"default=true,description=Writes nothing"`
}

// RenameResult is what rename_symbol answers.
type RenameResult struct {
	OldName string `json:"oldName"`
	NewName string `json:"newName"`
	// Places is how many places have the name.
	Places int `json:"places"`
	Changes
}

// Rename is rename_symbol. It changes all places or none.
func (e *Editor) Rename(ctx context.Context, args RenameArgs) (RenameResult, error) {
	if args.NewName == "" || len(args.NewName) > 800 || strings.ContainsFunc(args.NewName, unicode.IsControl) {
		return RenameResult{}, invalid("give a name of the language", "%s is no name", quote(args.NewName))
	}
	a, err := e.aim(ctx, args.Target)
	if err != nil {
		return RenameResult{}, err
	}
	if a.name == "" {
		return RenameResult{}, problem(codeSymbolNotFound, "Give the position of a name, or the symbol.", "there is no name at line %d, column %d of %s", a.at.Line, a.at.Column, quote(a.doc.path))
	}
	edits, by, err := e.renaming(ctx, a, args.NewName)
	if err != nil {
		return RenameResult{}, err
	}
	r := RenameResult{OldName: a.name, NewName: args.NewName}
	reason, next := e.unindexed(by, a.doc.place)
	var left namesLeft
	r.Changes, err = e.carryOut(ctx, origin{by, a.doc.abs}, edits, or(args.DryRun, true), func(t *transaction) error {
		for _, p := range t.files {
			if p.key() == a.doc.abs && p.before() != a.doc.sha256 {
				return stale(p.path, p.before(), a.doc.sha256)
			}
		}
		for _, edit := range edits {
			if err := t.fits(edit, a.name, by); err != nil {
				return err
			}
			r.Places += len(edit.Edits)
		}
		var err error
		if left, err = e.namesLeft(ctx, t, a.doc.place, a.name); err != nil {
			return err
		}
		if reason != "" && !or(args.DryRun, true) && (len(left.paths) > 0 || !left.all) {
			return notIndexed(a.name, reason, next, left)
		}
		return nil
	})
	if err != nil {
		return RenameResult{}, err
	}
	if reason != "" {
		r.Notes = append(r.Notes, reason+". "+strings.TrimSuffix(next, "."))
	}
	r.Notes = append(r.Notes, left.notes(a.name)...)
	if len(edits) == 0 {
		r.Notes = append(r.Notes, by+" knows nothing to change")
	}
	return r, nil
}

// renaming asks what to change.
func (e *Editor) renaming(ctx context.Context, a aim, name string) ([]adapter.FileEdit, string, error) {
	refused := refusals{}
	for ad, n := range able[adapter.Navigator](e, &a.doc.place) {
		edits, err := ask(ctx, ad, thought, func(ctx context.Context) ([]adapter.FileEdit, error) {
			return n.Rename(ctx, a.doc.adapted(), a.at, name)
		})
		switch {
		case passes(err):
			refused[ad.Name()] = err
			continue
		case err != nil:
			return nil, "", failed(codeLanguageServer, "renaming "+quote(a.name), err)
		}
		return edits, ad.Name(), nil
	}
	return nil, "", missing[adapter.Navigator](e, codeNoLanguageServer, "rename "+quote(a.name), &a.doc.place, refused)
}

// notIndexed refuses a rename that may leave the old name in files that the language server does not know.
func notIndexed(name, reason, next string, left namesLeft) error {
	return problem(codeNotIndexed, next+" Or change these files by other means.", "nothing was written: %s, and %s", reason, strings.Join(left.notes(name), "; "))
}

// fits refuses edits that replace something else than the name: they were made for another content of the file.
func (t *transaction) fits(edit adapter.FileEdit, name, by string) error {
	p := t.at[edit.Path]
	if p == nil || p.was == nil || edit.Op != adapter.ChangeFile {
		return nil
	}
	text := adapter.NewText(p.was.text.Content)
	for _, change := range edit.Edits {
		start, err := text.Offset(change.Range.Start)
		if err != nil {
			return err
		}
		end, err := text.Offset(change.Range.End)
		if err != nil {
			return err
		}
		if was := p.was.text.Content[start:end]; was != "" && !strings.Contains(was, name) {
			return problem(codeLanguageServer, "Call again in a moment; the language server has not read the files anew yet.",
				"%s wants to replace %s in line %d of %s, which is not the name %s", by, quote(was), change.Range.Start.Line, quote(p.path), quote(name))
		}
	}
	return nil
}

// TextContent is what a model reads.
func (r RenameResult) TextContent() string {
	return r.Changes.text(fmt.Sprintf("%s to %s at %s", r.OldName, r.NewName, count(r.Places, "place")))
}
