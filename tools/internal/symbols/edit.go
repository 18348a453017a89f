package symbols

import (
	"errors"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// Edit replaces Text[Start:End] by New, which has LF line ends.
type Edit struct {
	Start, End int
	New        string
	// Note describes a placeholder that a deletion leaves, or values that it changes; "" is none.
	Note string
	// AllowErrors makes Verify report the syntax errors of New in File.Added, and not refuse them.
	AllowErrors bool

	// declares says that no statement may follow the declarations of New: New replaces a function or a type of Python.
	declares bool
}

// ErrSharedLine reports a declaration that shares a line with other code, so that no line can be inserted or deleted there.
var ErrSharedLine = errors.New("the declaration shares a line with other code")

// InsertBefore returns the edit that inserts code before a declaration, its documentation and its decorators.
func (f *File) InsertBefore(i int, code string) (Edit, error) {
	first := f.start(i)
	at := textfile.LineStart(f.Text, first)
	if !indent.IsBlank(f.Text[at:first]) {
		return Edit{}, ErrSharedLine
	}
	code = f.fitCode(i, code)
	if f.isListed(i) {
		code = f.withComma(code)
	}
	gap := strings.Repeat("\n", f.gap(i, code, false))
	blank, above := f.blanksAbove(at)
	edit := Edit{Start: at, End: at, New: code + "\n" + gap}
	if gap != "" && blank == at && !f.isHead(i, above) {
		edit.New = gap + edit.New
	}
	return edit, nil
}

// InsertAfter returns the edit that inserts code after a declaration.
func (f *File) InsertAfter(i int, code string) (Edit, error) {
	c := f.Symbol(i)
	end, ok := f.tail(int(c.End))
	if !ok {
		return Edit{}, ErrSharedLine
	}
	code = f.fitCode(i, code)
	gap := strings.Repeat("\n", f.gap(i, code, true))
	edit := Edit{Start: end, End: end, New: "\n" + gap + code}
	switch {
	case !f.isListed(i):
	case f.commaFollows(i):
		edit.New = "\n" + gap + f.withComma(code)
	default:
		edit.Start = int(c.End)
		edit.New = "," + f.Text[c.End:end] + edit.New
	}
	if below := f.nextLine(end); gap != "" && below < len(f.Text) && f.blanksBelow(below) == below && !f.isFoot(below) {
		edit.New += gap
	}
	return edit, nil
}

// ReplaceBody returns the edit that replaces a declaration by code. Its documentation comment stays unless code begins with a
// comment. An unchanged body returns an empty edit.
func (f *File) ReplaceBody(i int, code string) Edit {
	c := f.Symbol(i)
	start, end := f.Body(i)
	code = trimLines(textfile.WithLF(code))
	if f.parsers.IsComment(f.Language, []byte(strings.TrimLeft(code, " \t\n"))) && f.start(i) < start {
		start = f.start(i)
	}
	from := textfile.LineStart(f.Text, start)
	base := f.Text[from:start]
	if !indent.IsBlank(base) {
		base = indent.Leading(base)
	}
	for _, old := range []string{f.Text[start:end], f.Text[c.Decl:c.End]} {
		if old = strings.TrimRight(textfile.WithLF(old), " \t\n"); code == old || code == base+old {
			return Edit{Start: start, End: start}
		}
	}
	code = strings.TrimPrefix(f.reindent(code, base), base)
	for _, separator := range []string{",", ";"} {
		if strings.HasPrefix(f.Text[end:], separator) {
			code = strings.TrimSuffix(code, separator)
		}
	}
	end = start + len(strings.TrimRight(f.Text[start:end], " \t\r\n")) // a damaged declaration can end with its line
	return Edit{Start: start, End: end, New: code, declares: f.Language == source.Python && (c.Kind.IsCallable() || c.Kind.IsType())}
}

// Delete returns the edit that deletes the lines of a declaration with its documentation and decorators. The blank lines that
// remain are those that the neighbours have. Edit.Note says that a placeholder stays, or that values of other declarations change.
func (f *File) Delete(i int) (Edit, error) {
	c := f.Symbol(i)
	first := f.start(i)
	start := textfile.LineStart(f.Text, first)
	end, ok := f.tail(int(c.End))
	if !ok || !indent.IsBlank(f.Text[start:first]) || f.overlaps(i) {
		return Edit{}, ErrSharedLine
	}
	if keep, note := f.placeholder(i); keep != "" {
		return Edit{Start: first, End: end, New: keep, Note: note}, nil
	}
	end = f.nextLine(end)
	blankStart, above := f.blanksAbove(start)
	blankEnd := f.blanksBelow(end)
	before, after := strings.Count(f.Text[blankStart:start], "\n"), strings.Count(f.Text[end:blankEnd], "\n")
	head, foot := f.isHead(i, above), blankEnd == len(f.Text) || f.isFoot(blankEnd)
	keepBefore := before > after
	switch {
	case head && foot:
		keepBefore = before < after
	case head:
		keepBefore = true
	case foot:
		keepBefore = false
	}
	if keepBefore {
		end = blankEnd
	} else {
		start = blankStart
	}
	if end == len(f.Text) && !strings.HasSuffix(f.Text, "\n") { // the text stays without a line end
		start -= lenLineEnd(f.Text[:start])
	}
	return Edit{Start: start, End: end, Note: f.shiftedValues(i)}, nil
}

// start returns the start of a declaration with the comment lines directly above it. The parser of Python reports only the
// documentation within the body.
func (f *File) start(i int) int {
	start := int(f.Symbol(i).Start)
	if f.Language != source.Python || !indent.IsBlank(f.Text[textfile.LineStart(f.Text, start):start]) {
		return start
	}
	margin := f.Text[textfile.LineStart(f.Text, start):start]
	for at := textfile.LineStart(f.Text, start); at > 0; {
		at = textfile.LineStart(f.Text, at-1)
		comment, ok := strings.CutPrefix(f.Text[at:], margin+"#")
		if !ok || at == 0 && strings.HasPrefix(comment, "!") {
			break
		}
		start = at + len(margin)
	}
	return start
}

// fitCode returns code without blank lines at both ends, indented like a declaration.
func (f *File) fitCode(i int, code string) string {
	c := f.Symbol(i)
	base := indent.Leading(f.Text[textfile.LineStart(f.Text, int(c.Decl)):c.Decl])
	return f.reindent(f.indentHead(trimLines(textfile.WithLF(code)), base), base)
}

// reindent indents code to base. The lines of string literals stay.
func (f *File) reindent(code, base string) string {
	return indent.Reindent(code, base, f.parsers.StringLines([]byte(code), f.Language))
}

// gap returns the number of blank lines between a declaration and code beside it: first those towards the neighbour on the
// requested side, else the most beside the declaration, else the most between two multi-line siblings, else 2 (Python, top level)
// or 1. Beside declarations of one line, code of one line needs none.
func (f *File) gap(i int, code string, after bool) int {
	c := f.Symbol(i)
	siblings := f.Children(int(c.Parent))
	tall := strings.Contains(code, "\n")
	block := isBlock(c) || tall
	least := 0
	if f.isComment(code) {
		least = 1 // it would else belong to the declaration below
	}
	if n, ok := f.neighbourGap(i, siblings, block, tall, after); ok {
		return max(n, least)
	}
	if !block {
		return least
	}
	if n, ok := f.siblingGap(siblings, tall); ok {
		return max(n, least)
	}
	if f.Language == source.Python && c.Parent < 0 {
		return 2
	}
	return 1
}

// isBlock reports whether a declaration has several lines or a body.
func isBlock(c *source.Chunk) bool {
	return c.StartLine < c.EndLine || c.Kind.IsCallable() && c.Body > 0
}

// neighbourGap returns the number of blank lines between a declaration and its neighbour on the requested side, or else the most
// beside it. For a block, one of the two must be a block; for a line, both must be lines.
func (f *File) neighbourGap(i int, siblings []int, block, tall, after bool) (most int, ok bool) {
	for n := 0; n+1 < len(siblings); n++ {
		x, y := siblings[n], siblings[n+1]
		if x != i && y != i || f.IsPackageClause(x) {
			continue
		}
		if block != (isBlock(f.Symbol(x)) || isBlock(f.Symbol(y))) {
			continue
		}
		blanks, known := f.gapFor(tall, x, y)
		if !known {
			continue
		}
		if (x == i) == after {
			return blanks, true
		}
		most, ok = max(most, blanks), true
	}
	return most, ok
}

// gapFor is blanksBetween for code that is inserted. Two adjacent declarations of one line say nothing about tall code, which has
// several lines: known is false for them.
func (f *File) gapFor(tall bool, x, y int) (blanks int, known bool) {
	blanks, known = f.blanksBetween(x, y)
	return blanks, known && !(tall && blanks == 0 && f.isLine(x) && f.isLine(y))
}

// isLine reports whether a declaration has one line.
func (f *File) isLine(i int) bool { return f.Symbol(i).StartLine == f.Symbol(i).EndLine }

// siblingGap returns the most blank lines between two neighbours that are blocks.
func (f *File) siblingGap(siblings []int, tall bool) (most int, ok bool) {
	for n := 0; n+1 < len(siblings); n++ {
		x, y := siblings[n], siblings[n+1]
		if f.IsPackageClause(x) || !isBlock(f.Symbol(x)) || !isBlock(f.Symbol(y)) {
			continue
		}
		if blanks, known := f.gapFor(tall, x, y); known {
			most, ok = max(most, blanks), true
		}
	}
	return most, ok
}

// blanksBetween returns the number of blank lines between two declarations. ok is false if there is other text between them.
func (f *File) blanksBetween(x, y int) (n int, ok bool) {
	a, b := f.Symbol(x), f.Symbol(y)
	if a.End > b.Start {
		return 0, false
	}
	start := f.start(y)
	end, ok := f.tail(int(a.End))
	if !ok || end > start {
		return 0, false
	}
	between := f.Text[end:start]
	return max(strings.Count(between, "\n")-1, 0), indent.IsBlank(between) && strings.Contains(between, "\n")
}

// overlaps reports whether the range of a declaration shares text with a declaration that is neither its member nor around it.
func (f *File) overlaps(symbol int) bool {
	c := f.Symbol(symbol)
	for i := range f.parsed.Chunks {
		other := f.Symbol(i)
		if i == symbol || other.End <= c.Start || c.End <= other.Start || f.isWithin(i, symbol) || f.isWithin(symbol, i) || f.encloses(i, int(c.Parent)) {
			continue
		}
		return true
	}
	return false
}

// encloses reports whether the text of a declaration contains that of another one without being its parent, as a typedef of C
// contains the struct that it names. -1 is no declaration.
func (f *File) encloses(i, inner int) bool {
	if inner < 0 {
		return false
	}
	c, other := f.Symbol(i), f.Symbol(inner)
	return c.Decl <= other.Decl && other.End <= c.End
}

// isWithin reports whether a declaration is a member of another one, at any depth.
func (f *File) isWithin(i, container int) bool {
	for i >= 0 {
		if i = int(f.Symbol(i).Parent); i == container {
			return true
		}
	}
	return false
}

// tail returns the end of the line in which a declaration ends, without its line end. ok is false if other code follows in the
// line.
func (f *File) tail(end int) (lineEnd int, ok bool) {
	if end > 0 && f.Text[end-1] == '\n' { // a damaged declaration can end with its line
		end -= lenLineEnd(f.Text[:end])
	}
	lineEnd = end
	if i := strings.IndexByte(f.Text[end:], '\n'); i >= 0 {
		lineEnd = end + i
	} else {
		lineEnd = len(f.Text)
	}
	if lineEnd > end && f.Text[lineEnd-1] == '\r' {
		lineEnd--
	}
	rest := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(f.Text[end:lineEnd]), ",;"))
	switch {
	case rest == "":
		return lineEnd, true
	case strings.HasPrefix(rest, "/*"):
		return lineEnd, strings.Index(rest, "*/") == len(rest)-2
	}
	return lineEnd, f.parsers.IsComment(f.Language, []byte(rest))
}

// isHead reports whether the line before a declaration begins its container or the text. above is the start of that line; -1 is
// none.
func (f *File) isHead(i, above int) bool {
	if above < 0 {
		return true
	}
	if indent.OpensBlock(f.lineAt(above)) {
		return true
	}
	parent := f.Symbol(i).Parent
	return parent >= 0 && above <= int(f.Symbol(int(parent)).Ident)
}

// isFoot reports whether the line at an offset ends a block.
func (f *File) isFoot(at int) bool { return indent.ClosesBlock(f.lineAt(at)) }

// lineAt returns the text from an offset to the end of its line, without "\n".
func (f *File) lineAt(at int) string {
	line, _, _ := strings.Cut(f.Text[at:], "\n")
	return line
}

// blanksAbove returns the start of the blank lines directly above a line, and the start of the line above them; -1 if there is
// none.
func (f *File) blanksAbove(at int) (start, above int) {
	for at > 0 {
		before := textfile.LineStart(f.Text, at-1)
		if !indent.IsBlank(f.Text[before:at]) {
			return at, before
		}
		at = before
	}
	return at, -1
}

// blanksBelow returns the end of the blank lines from a line on.
func (f *File) blanksBelow(at int) int {
	for at < len(f.Text) {
		next := f.nextLine(at)
		if !indent.IsBlank(f.Text[at:next]) {
			break
		}
		at = next
	}
	return at
}

// nextLine returns the start of the line after an offset.
func (f *File) nextLine(at int) int {
	if i := strings.IndexByte(f.Text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(f.Text)
}

// lenLineEnd returns the length of the line end at the end of a text.
func lenLineEnd(text string) int {
	switch {
	case strings.HasSuffix(text, "\r\n"):
		return 2
	case strings.HasSuffix(text, "\n"):
		return 1
	}
	return 0
}

// trimLines returns code without blank lines at both ends and without white space at its end.
func trimLines(code string) string {
	for {
		first, rest, more := strings.Cut(code, "\n")
		if !more || !indent.IsBlank(first) {
			return strings.TrimRight(code, " \t\n")
		}
		code = rest
	}
}
