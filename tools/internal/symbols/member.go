package symbols

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// ErrNoBody reports a declaration that cannot have members: it is no type and no module, or it has no body.
var ErrNoBody = errors.New("the declaration has no body for members")

// InsertFirst returns the edit that inserts code before the members of a type or a module. Methods of Go are inserted before
// the methods of the type in the file.
func (f *File) InsertFirst(i int, code string) (Edit, error) {
	return f.insertMember(i, code, true)
}

// InsertLast returns the edit that inserts code after the members of a type or a module. Methods of Go are inserted after the
// methods of the type in the file, or after the type.
func (f *File) InsertLast(i int, code string) (Edit, error) {
	return f.insertMember(i, code, false)
}

func (f *File) insertMember(i int, code string, first bool) (Edit, error) {
	c := f.Symbol(i)
	isObject := c.Kind.IsValue() && c.Kind != source.EnumCase && (len(f.Children(i)) > 0 || f.isEmptyObject(i))
	if !c.Kind.IsType() && c.Kind != source.Module && !isObject || c.Kind == source.TypeAlias || f.IsPackageClause(i) {
		return Edit{}, ErrNoBody
	}
	if f.Language == source.Rust && (c.Kind == source.Struct || c.Kind == source.Enum) && beginsWithFunction(code) {
		block := f.implementation(i)
		if block < 0 {
			return Edit{}, ErrNoBody
		}
		return f.insertMember(block, code, first)
	}
	var members []int
	outside := f.Language == source.Go && beginsWithMethod(code)
	if outside {
		members = f.outerMethods(i)
	} else {
		members = f.bodyMembers(i)
	}
	switch {
	case len(members) > 0 && first:
		return f.InsertBefore(members[0], code)
	case len(members) > 0:
		return f.InsertAfter(members[len(members)-1], code)
	case outside:
		return f.InsertAfter(i, code)
	case c.Body == 0 && f.Language != source.Ruby && !isObject:
		return Edit{}, ErrNoBody
	}
	return f.insertIntoBody(i, code, first)
}

// beginsWithMethod reports whether code of Go begins with a method, after its documentation.
func beginsWithMethod(code string) bool {
	line := firstLine(code, "//")
	return strings.HasPrefix(line, "func (") || strings.HasPrefix(line, "func(")
}

// beginsWithFunction reports whether code of Rust begins with a function, after its documentation and attributes.
func beginsWithFunction(code string) bool {
	head, _, ok := strings.Cut(firstLine(code, "//", "#["), "(")
	return ok && (strings.HasPrefix(head, "fn ") || strings.Contains(head, " fn "))
}

// firstLine returns the first line of code that is not blank and begins with none of the prefixes, or "". It has no blanks around it.
func firstLine(code string, without ...string) string {
	for line := range strings.Lines(textfile.WithLF(code)) {
		line = strings.TrimSpace(line)
		begins := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
		if line != "" && !slices.ContainsFunc(without, begins) {
			return line
		}
	}
	return ""
}

// implementation returns the first impl block of Rust for a type that is not of a trait, or -1.
func (f *File) implementation(i int) int {
	for n := range f.parsed.Chunks {
		if c := f.Symbol(n); c.Kind == source.Extension && dotted(c) == dotted(f.Symbol(i)) && !strings.Contains(c.Signature, " for ") {
			return n
		}
	}
	return -1
}

// outerMethods returns the methods of a type that are declared outside of it.
func (f *File) outerMethods(i int) []int {
	var methods []int
	for n := range f.parsed.Chunks {
		if f.OuterType(n) == i {
			methods = append(methods, n)
		}
	}
	return methods
}

// insertIntoBody returns the edit that inserts code into the body of a declaration without members.
func (f *File) insertIntoBody(i int, code string, first bool) (Edit, error) {
	c := f.Symbol(i)
	base := indent.Leading(f.Text[textfile.LineStart(f.Text, int(c.Decl)):c.Decl])
	code = trimLines(textfile.WithLF(code))
	inner := base + f.unit(code)
	code = f.reindent(f.indentHead(code, inner), inner)
	end := len(strings.TrimRight(f.Text[:c.End], " \t\r\n;"))
	if f.Language == source.Python {
		return f.insertAfterStatement(i, code)
	}
	if start, closer, ok := f.emptyBody(i, end); ok {
		return Edit{Start: start, End: closer, New: "\n" + code + "\n" + base}, nil
	}
	switch last := textfile.LineStart(f.Text, end); {
	case strings.HasSuffix(f.Text[:end], "}") && c.Body > 0 && f.Text[c.Body] == '{':
		open, closer := int(c.Body)+1, end-1
		tail, ok := f.tail(open)
		switch {
		case first && ok:
			at := f.nextLine(tail)
			return Edit{Start: at, End: at, New: code + "\n"}, nil
		case !first && indent.IsBlank(f.Text[last:closer]):
			return Edit{Start: last, End: last, New: code + "\n"}, nil
		}
		return Edit{}, ErrSharedLine
	case strings.HasSuffix(f.Text[:end], "end") && indent.IsBlank(f.Text[last:end-len("end")]):
		return Edit{Start: last, End: last, New: code + "\n"}, nil
	case f.Language == source.Ruby:
		return Edit{}, ErrSharedLine
	}
	return Edit{}, ErrNoBody
}

// bodyMembers returns the members of a declaration without the parameters of its head, as classes of Kotlin and records of Java have
// them.
func (f *File) bodyMembers(i int) []int {
	c := f.Symbol(i)
	members := f.Children(i)
	if c.Body == 0 || f.Text[c.Body] != '{' {
		return members
	}
	return slices.DeleteFunc(members, func(n int) bool { return f.Symbol(n).Ident < c.Body })
}

// emptyBody returns the range between the braces of a declaration whose text ends at end, if it has only blanks. For a class of
// Ruby in one line, it is the range between the head and the word end.
func (f *File) emptyBody(i, end int) (start, closer int, ok bool) {
	head := int(f.Symbol(i).Ident)
	if f.Language == source.Ruby {
		closer = end - len("end")
		text, isLine := strings.CutSuffix(strings.TrimRight(f.Text[head:max(head, closer)], " \t"), ";")
		return head + len(text), closer, isLine && f.Text[closer:end] == "end" && !strings.ContainsAny(text, ";\n")
	}
	text, isBlock := strings.CutSuffix(f.Text[head:end], "}")
	text = strings.TrimRight(text, " \t\r\n")
	return head + len(text), end - 1, isBlock && strings.HasSuffix(text, "{")
}

// isEmptyObject reports whether a value is an object of JavaScript or TypeScript without members.
func (f *File) isEmptyObject(i int) bool {
	switch f.Language {
	case source.JavaScript, source.TypeScript, source.TSX:
	default:
		return false
	}
	c := f.Symbol(i)
	head, tail, ok := strings.Cut(f.Text[c.Ident:c.End], "{")
	return ok && strings.HasSuffix(strings.TrimRight(head, " \t\r\n"), "=") && strings.Trim(tail, " \t\r\n;") == "}"
}

// unit returns one level of indentation for code in the file: that of the file, that of the code if no line of the file is indented,
// or the usual one of the language.
func (f *File) unit(code string) string {
	usual := "    "
	switch f.Language {
	case source.Go:
		usual = "\t"
	case source.JavaScript, source.TypeScript, source.TSX, source.Ruby, source.Scala, "dart", "protobuf", "graphql":
		usual = "  "
	}
	return cmp.Or(indent.Smallest(textfile.NewLines(f.Text)), indent.Smallest(textfile.NewLines(code)), usual)
}

// insertAfterStatement returns the edit that inserts code after the statements of a class of Python without members. A lone
// "pass" or "..." is replaced.
func (f *File) insertAfterStatement(i int, code string) (Edit, error) {
	c := f.Symbol(i)
	from := textfile.LineStart(f.Text, int(c.Body))
	margin := f.Text[from:c.Body]
	end, ok := f.tail(int(c.End))
	if !ok || !indent.IsBlank(margin) {
		return Edit{}, ErrSharedLine
	}
	code = f.reindent(code, margin)
	if body := strings.TrimSpace(f.Text[c.Body:c.End]); body == "pass" || body == "..." {
		return Edit{Start: from, End: int(c.End), New: code}, nil
	}
	return Edit{Start: end, End: end, New: "\n\n" + code}, nil
}

// Append returns the edit that inserts code after the last declaration at the top level of the file.
func (f *File) Append(code string) (Edit, error) {
	if top := f.Children(-1); len(top) > 0 && !f.IsPackageClause(top[len(top)-1]) {
		return f.InsertAfter(top[len(top)-1], code)
	}
	text := strings.TrimRight(f.Text, " \t\r\n")
	edit := Edit{Start: len(text), End: len(f.Text), New: f.reindent(trimLines(textfile.WithLF(code)), "") + "\n"}
	if text != "" {
		edit.New = "\n\n" + edit.New
	}
	return edit, nil
}

// indentHead adds the indentation base to the first line of code that was copied from a block without it. The other lines then have at
// least base and one more level of indentation, or close a bracket at base.
func (f *File) indentHead(code, base string) string {
	head, rest, ok := strings.Cut(code, "\n")
	if !ok || base == "" || indent.Leading(head) != "" || indent.IsBlank(rest) {
		return code
	}
	deeper := base + indent.Unit(textfile.NewLines(f.Text))
	for line := range strings.Lines(rest) {
		closes := indent.ClosesBlock(line) && strings.HasPrefix(line, base)
		if !indent.IsBlank(line) && !strings.HasPrefix(line, deeper) && !closes {
			return code
		}
	}
	return base + code
}
