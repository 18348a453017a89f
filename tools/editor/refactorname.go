package editor

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// checkName refuses text that is not an identifier in any language. "" is accepted.
func checkName(name string) error {
	first, _ := utf8.DecodeRuneInString(name)
	if name != "" && (len(name) > 200 || !utf8.ValidString(name) || unicode.IsDigit(first) || strings.ContainsFunc(name, func(r rune) bool { return !isWordRune(r) })) {
		return invalid("give a name of the language: letters, digits and _", "%s is no name", quote(name))
	}
	return nil
}

func isStaleAdapter(err error) bool { return errors.Is(err, adapter.ErrStale) }

// placeholder matches generated names of language servers.
var placeholder = regexp.MustCompile(`^(?:_*(?i:new_?(?:function|method|variable|var|local|const|constant|type|property|parameter|interface|alias|value|name)|extracted(?:_?(?:function|method|variable|constant|value))?|placeholder|dummy|local_?variable|fun_name|var_name)_?\d*)$`)

// applyName replaces the generated name of a new declaration by name. The generated name must be new in all files, so that each
// occurrence means the new declaration.
func (e *Editor) applyName(ctx context.Context, o *offeredRefactoring, edits []adapter.FileEdit, name string) (*previewedEdits, error) {
	t := e.newTransaction()
	t.origin = o.origin()
	if err := t.plan(ctx, edits); err != nil {
		if isStaleFile(err) {
			return nil, staleRefactoring(o.refactoring.Title, err)
		}
		return nil, err
	}
	before := make(map[string]bool)
	for _, p := range t.files {
		if p.original != nil {
			for word := range words(p.original.text.Content) {
				before[word] = true
			}
		}
	}
	given := ""
	if !isSource(o.refactoring.Kind) { // these kinds declare nothing
		given = generatedName(edits, before)
	}
	switch {
	case name == "" || name == given:
		return &previewedEdits{edits, name, given}, nil
	case given == "":
		return nil, problem(codeNoPlaceholder, "Leave the name out, look at the diff, and call rename_symbol after applying.", "%s has no clear place for the name %s", quote(o.refactoring.Title), quote(name))
	case before[name]:
		return nil, problem(codeNameTaken, "Choose another name.", "%s occurs in a changed file already", quote(name))
	}
	return &previewedEdits{replaceName(edits, given, name), name, name}, nil
}

// generatedName returns the name that a language server generated; "" if there is none or it is ambiguous.
func generatedName(edits []adapter.FileEdit, before map[string]bool) string {
	times := make(map[string]int)
	for _, file := range edits {
		for _, edit := range file.Edits {
			for word := range words(edit.NewText) {
				if !before[word] {
					times[word]++
				}
			}
		}
	}
	var typical, twice []string
	for word, n := range times {
		if placeholder.MatchString(word) {
			typical = append(typical, word)
		}
		if n > 1 { // a declaration and a use
			twice = append(twice, word)
		}
	}
	if len(typical) > 1 { // A result variable can have a generated name, too. The declaration has the most occurrences.
		slices.SortFunc(typical, func(a, b string) int { return cmp.Or(times[b]-times[a], strings.Compare(a, b)) })
		if times[typical[0]] == times[typical[1]] {
			return ""
		}
		typical = typical[:1]
	}
	for _, found := range [][]string{typical, twice} {
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}

// replaceName returns edits with another name for the new declaration.
func replaceName(edits []adapter.FileEdit, from, to string) []adapter.FileEdit {
	all := slices.Clone(edits)
	for i := range all {
		all[i].Edits = slices.Clone(all[i].Edits)
		for n := range all[i].Edits {
			all[i].Edits[n].NewText = replaceWord(all[i].Edits[n].NewText, from, to)
		}
	}
	return all
}

func replaceWord(text, from, to string) string {
	var b strings.Builder
	for {
		i := indexWord(text, from)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i] + to)
		text = text[i+len(from):]
	}
}

// words yields the identifiers of a text, with repetitions.
func words(text string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) })
}
