package editor

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/identifier"
	"github.com/dougu-go/dougu/tools/source"
)

// maxNameClashes is the number of places that a note about a name in use shows.
const maxNameClashes = 3

// nameLanguage returns the language whose identifiers a document has. It is empty for an unknown language.
func nameLanguage(d *document) source.Language {
	switch strings.ToLower(path.Ext(d.path)) {
	case ".vue", ".svelte", ".astro":
		return source.TypeScript
	}
	language, _ := source.LanguageOf(path.Base(d.path), []byte(d.text.Content[:min(len(d.text.Content), 4<<10)]))
	return language
}

// checkNewName refuses a new name that the language does not allow. memberOnly is true for a reserved word that can name members only.
// Language servers do not check this: the one of TypeScript renames to any text.
func checkNewName(a namePosition, name string) (memberOnly bool, err error) {
	if name == a.name || isQuoted(a) { // a property can have a quoted name, which is no identifier
		return false, nil
	}
	language := nameLanguage(a.doc)
	switch identifier.Check(language, name) {
	case identifier.Invalid:
		return false, invalid("give a name of the language", "%s is no name%s", quote(name), inLanguage(language))
	case identifier.Reserved:
		return false, invalid("give another name", "%s is a reserved word%s", quote(name), inLanguage(language))
	case identifier.MemberOnly:
		return true, nil
	}
	return false, nil
}

func inLanguage(language source.Language) string {
	if language == "" {
		return ""
	}
	return " in " + string(language)
}

// isQuoted reports whether a name is directly between quotation marks.
func isQuoted(a namePosition) bool {
	text := a.doc.text.Content
	offset, err := adapter.NewText(text).Offset(a.at)
	if err != nil {
		return false
	}
	start := offset
	for start > 0 && !strings.ContainsRune("'\"`\n", rune(text[start-1])) && offset-start < len(a.name) {
		start--
	}
	end := start + len(a.name)
	return start > 0 && end < len(text) && text[start:end] == a.name && text[start-1] == text[end] && strings.IndexByte("'\"", text[end]) >= 0
}

// nameClashes looks for declarations that the new name of a symbol collides with.
type nameClashes struct {
	members bool     // the symbol was found, and each of its declarations is a member
	taken   string   // path and line of a declaration with the new name in the same scope
	uses    []string // paths and lines with the new name in the changed files
	more    bool     // there are more uses
}

// findNameClashes looks for the new name in the files that a rename changes.
func (e *Editor) findNameClashes(ctx context.Context, t *transaction, edits []adapter.FileEdit, old, name string) nameClashes {
	var c nameClashes
	if old == name {
		return c
	}
	declared, members := 0, 0
	for _, edit := range edits {
		p := t.byPath[edit.Path]
		if p == nil || p.original == nil || edit.Op != adapter.ChangeFile {
			continue
		}
		d := p.original
		text := adapter.NewText(d.text.Content)
		c.addUses(d, text, name)
		f, err := e.parseDocument(ctx, d)
		if err != nil {
			continue
		}
		starts := make(map[int]bool, len(edit.Edits))
		for _, change := range edit.Edits {
			if start, err := text.Offset(change.Range.Start); err == nil {
				starts[start] = true
			}
		}
		for i := range f.Len() {
			s := f.Symbol(i)
			if !starts[int(s.Ident)] || s.Name != old {
				continue
			}
			if declared++; isMember(s.Kind) {
				members++
			}
			for n := range f.Len() {
				if other := f.Symbol(n); other.Name == name && collides(nameLanguage(d), s, other) && c.taken == "" {
					c.taken = fmt.Sprintf("%s:%d", d.path, text.Position(int(other.Ident)).Line)
				}
			}
		}
	}
	c.members = declared > 0 && members == declared
	return c
}

// addUses adds the lines of a document that have a name.
func (c *nameClashes) addUses(d *document, text *adapter.Text, name string) {
	content := d.text.Content
	for from := 0; ; {
		i := indexWord(content[from:], name)
		if i < 0 {
			return
		}
		place := fmt.Sprintf("%s:%d", d.path, text.Position(from+i).Line)
		from += i + len(name)
		switch {
		case slices.Contains(c.uses, place):
		case len(c.uses) == maxNameClashes:
			c.more = true
			return
		default:
			c.uses = append(c.uses, place)
		}
	}
}

// note returns the note for a new name that occurs in the changed files; "" if it does not occur.
func (c nameClashes) note(name string) string {
	if len(c.uses) == 0 {
		return ""
	}
	more := ""
	if c.more {
		more = " and more"
	}
	return fmt.Sprintf("%s occurs in changed files already (%s%s): check that it means nothing else there", name, strings.Join(c.uses, ", "), more)
}

// isMember reports whether a declaration can be used only through its type or object.
func isMember(k source.Kind) bool {
	return k == source.Method || k == source.Property || k == source.Accessor || k == source.EnumCase
}

// collides reports whether two declarations of a file cannot have the same name.
func collides(language source.Language, a, b *source.Chunk) bool {
	if a.Ident == b.Ident || a.Container != b.Container || a.Kind == source.Module || b.Kind == source.Module || a.Kind == source.Extension || b.Kind == source.Extension {
		return false
	}
	switch language {
	case source.Java, source.Kotlin, source.Scala, source.Swift, source.CPP, source.CSharp:
		return !a.Kind.IsCallable() && !b.Kind.IsCallable() // functions can have several forms, and names of their own
	case source.TypeScript, source.TSX:
		return isTypeOnly(a.Kind) == isTypeOnly(b.Kind) || a.Kind == source.Class || b.Kind == source.Class
	case source.Go, source.Python, source.JavaScript, source.Rust, source.PHP, source.Ruby:
		return a.Kind.IsType() == b.Kind.IsType()
	}
	return false
}

// isTypeOnly reports whether a declaration of TypeScript is a type without a value.
func isTypeOnly(k source.Kind) bool { return k == source.Interface || k == source.TypeAlias }
