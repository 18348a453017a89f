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

// checkName refuses what cannot be a name in any language. "" is none.
func checkName(name string) error {
	first, _ := utf8.DecodeRuneInString(name)
	if name != "" && (len(name) > 200 || !utf8.ValidString(name) || unicode.IsDigit(first) || strings.ContainsFunc(name, func(r rune) bool { return !wordRune(r) })) {
		return invalid("give a name of the language: letters, digits and _", "%s is no name", quote(name))
	}
	return nil
}

func errIsStale(err error) bool { return errors.Is(err, adapter.ErrStale) }

// placeholder matches the names that language servers give to what has none yet.
var placeholder = regexp.MustCompile(`^(?:_*(?i:new_?(?:function|method|variable|var|local|const|constant|type|property|parameter|interface|alias|value|name)|extracted(?:_?(?:function|method|variable|constant|value))?|placeholder|dummy|local_?variable|fun_name|var_name)_?\d*)$`)

// named gives what is new the name that the caller wants, and answers what it is called. It is a name that stands in the new
// text and did not stand in the old one, so that every place that has it now means the same.
func (e *Editor) named(ctx context.Context, o *offeredRefactoring, edits []adapter.FileEdit, name string) (*shownEdits, error) {
	t := e.begin()
	t.by = origin{o.Name(), o.given}
	if err := t.plan(ctx, edits); err != nil {
		if errStale(err) {
			return nil, staleRefactoring(o.what.Title, err)
		}
		return nil, err
	}
	before := make(map[string]bool)
	for _, p := range t.files {
		if p.was != nil {
			for word := range words(p.was.text.Content) {
				before[word] = true
			}
		}
	}
	given := called(edits, before)
	switch {
	case name == "" || name == given:
		return &shownEdits{edits, name, given}, nil
	case given == "":
		return nil, problem(codeNoPlaceholder, "Leave the name out, look at the diff, and call rename_symbol after applying.", "it is not clear what of %s the name %s is for", quote(o.what.Title), quote(name))
	case before[name]:
		return nil, problem(codeNameTaken, "Choose another name.", "%s stands in a file that is changed already", quote(name))
	}
	return &shownEdits{renamed(edits, given, name), name, name}, nil
}

// called is the name that a language server has given to what is new; "" if there is none, or more than one may be it.
func called(edits []adapter.FileEdit, before map[string]bool) string {
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
		if n > 1 { // it is declared, and used
			twice = append(twice, word)
		}
	}
	if len(typical) > 1 { // a result may have such a name, too; what it is of comes first and most often
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

// renamed are edits with another name for what is new.
func renamed(edits []adapter.FileEdit, from, to string) []adapter.FileEdit {
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
		i := wordIn(text, from)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i] + to)
		text = text[i+len(from):]
	}
}

// words are the names in a text, each as often as it stands there.
func words(text string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !wordRune(r) })
}
