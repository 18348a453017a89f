package syntaxdiff

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// part is a declaration around a change without the rest of the file, before and after the change. Its lines have their numbers.
type part struct{ before, after []byte }

// maxParts limits the declarations around a change that are read alone.
const maxParts = 4

// parts iterates over the declarations around a change, the smallest first: its body as that of a simple function, the declaration in
// the heads of its types, and the declarations around it. Without a declaration around the change, the changed lines are a part.
func (c *region) parts(ctx context.Context, parsers *source.Parsers, lang source.Language) iter.Seq[part] {
	return func(yield func(part) bool) {
		file := c.declarations(ctx, parsers, lang)
		if file == nil {
			return
		}
		start, end := c.trimmed()
		all := around(file, start, end)
		for _, i := range all[:min(len(all), maxParts)] {
			k := &file.Chunks[i]
			if k.Kind.IsCallable() && int(k.Body) <= start {
				if p, ok := c.bodyAlone(lang, k); ok && !yield(p) {
					return
				}
			}
			if !yield(c.alone(file, k.Parent, min(int(k.Start), c.start), max(int(k.End), c.oldEnd), lang)) {
				return
			}
		}
		if len(all) > 0 && len(all) < maxParts && !file.Chunks[all[len(all)-1]].Kind.IsType() {
			return
		}
		start, end = c.start, c.oldEnd
		for i := range file.Chunks { // a declaration that is partly changed is read as a whole
			if k := &file.Chunks[i]; k.Kind != source.Module && int(k.Start) < end && start < int(k.End) && !slices.Contains(all, i) {
				start, end = min(start, int(k.Start)), max(end, int(k.End))
			}
		}
		container := int32(-1)
		if len(all) > 0 {
			container = int32(all[0])
		}
		if p := c.alone(file, container, start, end, lang); len(bytes.TrimSpace(c.before[start:end])) > 0 || lang != source.Python {
			yield(p)
		}
	}
}

// trimmed returns the changed region of the text before the change without white space at its ends.
func (c *region) trimmed() (start, end int) {
	region := c.before[c.start:c.oldEnd]
	end = c.start + len(bytes.TrimRight(region, " \t\r\n"))
	start = min(end, c.oldEnd-len(bytes.TrimLeft(region, " \t\r\n")))
	return start, end
}

// wrappers are functions of which only the body is open. The body of a declaration is read in one of them because macros and new
// syntax are more frequent in heads.
var wrappers = map[source.Language][2]string{
	source.C:          {"void f()", ""},
	source.CPP:        {"void f()", ""},
	source.JavaScript: {"async function*f()", ""},
	source.TypeScript: {"async function*f()", ""},
	source.TSX:        {"async function*f()", ""},
	source.Swift:      {"func f()async throws", ""},
	source.Kotlin:     {"fun f()", ""},
	source.Java:       {"class A{void f()", "}"},
	source.CSharp:     {"class A{async void f()", "}"},
	source.Rust:       {"fn f()", ""},
	source.Go:         {"package p;func f()", ""},
	source.PHP:        {"<?php function f()", ""},
}

// bodyAlone returns the body of a declaration as that of another function. ok is false if it is not in braces.
func (c *region) bodyAlone(lang source.Language, k *source.Chunk) (p part, ok bool) {
	w, ok := wrappers[lang]
	if !ok || k.Body == 0 || c.before[k.Body] != '{' || c.before[k.End-1] != '}' {
		return part{}, false
	}
	from, to := int(k.Body), max(int(k.End), c.oldEnd)
	lines := newlines(c.before[:from])
	build := func(body []byte) []byte { return slices.Concat(lines, []byte(w[0]), body, []byte(w[1])) }
	return part{build(c.before[from:to]), build(c.after[from : to+len(c.after)-len(c.before)])}, true
}

// newlines returns the line feeds of a text.
func newlines(src []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(src, []byte("\n"))) }

// alone returns the part from start to end within the heads and ends of the types around it. container is the innermost of them, or -1.
func (c *region) alone(file *source.File, container int32, start, end int, lang source.Language) part {
	var heads []*source.Chunk
	for i := container; i >= 0; i = file.Chunks[i].Parent {
		if k := &file.Chunks[i]; k.Kind.IsType() && k.Body > 0 && int(k.Body) <= start {
			heads = append(heads, k)
		}
	}
	slices.Reverse(heads)
	var head, tail []byte
	at := 0
	if lang == source.PHP {
		head = append(head, "<?php "...)
	}
	if lang == source.Go {
		head = append(head, "package p;"...)
	}
	for _, k := range heads {
		from, to := int(k.Sig), int(k.Body)
		if c.before[to] == '{' {
			to++
		}
		head = append(head, newlines(c.before[at:from])...)
		if lang == source.Python || lang == source.Ruby {
			line := bytes.LastIndexByte(c.before[:from], '\n') + 1
			head = append(head, c.before[line:from]...)
			to = min(to, start)
		}
		head = append(head, c.before[from:to]...)
		at = to
		switch {
		case c.before[k.End-1] == '}' && lang == source.Go:
			tail = slices.Insert(tail, 0, '}')
		case c.before[k.End-1] == '}':
			tail = slices.Insert(tail, 0, '}', ';')
			if lang != source.C && lang != source.CPP {
				tail = slices.Delete(tail, 1, 2)
			}
		case lang == source.Ruby:
			tail = slices.Insert(tail, 0, []byte("\nend")...)
		}
	}
	head = append(head, newlines(c.before[at:start])...)
	line := bytes.LastIndexByte(c.before[:start], '\n') + 1
	head = append(head, c.before[line:start][:indent(c.before[line:start])]...)
	build := func(text []byte) []byte { return slices.Concat(head, text, []byte("\n"), tail, []byte("\n")) }
	return part{build(c.before[start:end]), build(c.after[start : end+len(c.after)-len(c.before)])}
}

// indent returns the length of the white space at the start of a line.
func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
