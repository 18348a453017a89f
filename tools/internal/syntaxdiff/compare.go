package syntaxdiff

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// Result describes the syntax errors of the text after a change.
type Result struct {
	// Parser is the name of the source.Checker that has read the whole change; empty if Unchecked is set.
	Parser string
	// Added are errors that the change adds, by lines of the text after it.
	Added []source.Problem
	// Kept are errors outside and inside of the change that existed before it.
	Kept []source.Problem
	// Unchecked is the reason why an added error can be missing; empty if the whole change was read.
	Unchecked string
}

// Change is a change of a text.
type Change struct {
	// Before is nil for a new text, whose errors are all added.
	Before, After []byte
	// Start and End delimit the function in Before that the change replaces or edits. If End is 0, the change belongs to no function.
	Start, End int
}

// Compare finds the syntax errors that a change adds. A language without a source.Checker, and a text that it cannot read, give a
// Result with Unchecked. The error is that of ctx.
func Compare(ctx context.Context, parsers *source.Parsers, lang source.Language, change Change) (Result, error) {
	before, after := change.Before, change.After
	found, name, err := parsers.Check(ctx, after, lang)
	r := Result{Parser: name}
	var old []source.Problem
	if err == nil && len(found) > 0 && before != nil {
		old, _, err = parsers.Check(ctx, before, lang)
	}
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		line, _, _ := strings.Cut(err.Error(), "\n")
		return Result{Unchecked: line}, nil
	}
	c := newRegion(before, after)
	if lang == source.Python && change.End > 0 {
		r.Added = change.outside(ctx, parsers)
	}
	switch {
	case len(found) == 0:
	case len(old) == 0:
		r.Added = append(r.Added, found...)
	default:
		err = c.compareAlone(ctx, parsers, lang, texts{before, after, old, found}, &r)
	}
	return r, err
}

// texts are the two versions of a file or of a part of it, with their errors.
type texts struct {
	before, after []byte
	old, found    []source.Problem
}

// compareAlone adds the errors of r for a text that had errors before. It reads the smallest declaration around the change that has no
// error before it.
func (c *region) compareAlone(ctx context.Context, parsers *source.Parsers, lang source.Language, whole texts, r *Result) error {
	smallest := whole
	for part := range c.parts(ctx, parsers, lang) {
		old, _, err := parsers.Check(ctx, part.before, lang)
		if err != nil {
			break
		}
		found, _, err := parsers.Check(ctx, part.after, lang)
		switch {
		case err != nil:
		case len(old) == 0:
			r.Added = append(r.Added, found...)
			_, r.Kept = c.divide(whole)
			return nil
		case len(old) < len(smallest.old):
			smallest = texts{part.before, part.after, old, found}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	added, kept := c.divide(smallest)
	r.Added, r.Kept = append(r.Added, added...), kept
	if len(added) > 0 {
		return nil
	}
	r.Parser = ""
	if n := len(smallest.old); n >= source.MaxProblems {
		r.Unchecked = "the text had " + strconv.Itoa(n) + " syntax errors or more before"
	} else {
		r.Unchecked = "the new code, as its place had a syntax error before (" + Format(smallest.old[0]) + ") that can hide others"
	}
	return nil
}

// Format returns a problem with its line: "line 3: unexpected )".
func Format(p source.Problem) string {
	if p.Line < 1 {
		return p.Message
	}
	return "line " + strconv.Itoa(int(p.Line)) + ": " + p.Message
}

// Added returns the errors of a text after a change that the text before it did not have. old and found are the errors of the two
// texts. changed reports whether a line of the text after the change is one of the changed lines.
func Added(before, after []byte, old, found []source.Problem) (added []source.Problem, changed func(line int32) bool) {
	c := newRegion(before, after)
	added, _ = c.divide(texts{before, after, old, found})
	return added, c.isChanged
}

// divide separates the errors after a change into added and kept ones. An error outside of the changed lines is kept if its line had an
// error before, and an error in them if they had one with its message. Other errors are kept if there was an error in an equal line: an
// error can move to another line with the text "}". Nothing is added to a text that had source.MaxProblems errors, because its list is
// not complete.
func (c *region) divide(t texts) (added, kept []source.Problem) {
	outside := make(map[int32]int) // numbers of old errors by their lines after the change
	inside := make(map[string]int) // numbers of old errors in the changed lines by their messages
	for _, p := range t.old {
		if line := c.lineAfter(p.Line); line >= 0 {
			outside[line]++
		} else {
			inside[p.Message]++
		}
	}
	known := lineTexts(t.before, t.old)
	lines := lineTexts(t.after, t.found)
	isKept := make([]bool, len(t.found))
	for i, p := range t.found {
		if c.isChanged(p.Line) || outside[p.Line] == 0 {
			continue
		}
		outside[p.Line]--
		isKept[i] = true
		if at := slices.Index(known, lines[i]); at >= 0 {
			known = slices.Delete(known, at, at+1)
		}
	}
	for i, p := range t.found {
		if isKept[i] {
			continue
		}
		if c.isChanged(p.Line) && inside[p.Message] > 0 {
			inside[p.Message]--
			isKept[i] = true
		}
		if at := slices.Index(known, lines[i]); at >= 0 {
			known = slices.Delete(known, at, at+1)
			isKept[i] = true
		}
	}
	for i, p := range t.found {
		if isKept[i] || len(t.old) >= source.MaxProblems {
			kept = append(kept, p)
		} else {
			added = append(added, p)
		}
	}
	return added, kept
}

// lineTexts returns the texts of the lines of problems, without indentation; "\n" for an unknown line.
func lineTexts(src []byte, problems []source.Problem) []string {
	all := bytes.Split(src, []byte("\n"))
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = "\n"
		if p.Line > 0 && int(p.Line) <= len(all) {
			lines[i] = strings.TrimSpace(string(all[p.Line-1]))
		}
	}
	return lines
}

// region is the range of whole lines in which two texts differ. The offsets of the end are exclusive.
type region struct {
	before, after     []byte
	start             int // of the first changed line
	oldEnd, newEnd    int // after the last changed line
	first             int32
	oldLast, newLast  int32 // the lines after the last changed ones
	file              *source.File
	declarationsKnown bool
}

// newRegion compares two texts.
func newRegion(before, after []byte) *region {
	c := &region{before: before, after: after}
	most := min(len(before), len(after))
	for c.start < most && before[c.start] == after[c.start] {
		c.start++
	}
	tail := 0
	for tail < most-c.start && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	c.start = bytes.LastIndexByte(before[:c.start], '\n') + 1
	c.oldEnd, c.newEnd = len(before)-tail, len(after)-tail
	rest := 0
	if atLineStart(before, c.oldEnd) && atLineStart(after, c.newEnd) {
		// The region ends between two lines.
	} else if rest = bytes.IndexByte(before[c.oldEnd:], '\n') + 1; rest == 0 {
		rest = tail
	}
	c.oldEnd, c.newEnd = c.oldEnd+rest, c.newEnd+rest
	c.first = lineOf(before, c.start)
	c.oldLast, c.newLast = lineOf(before, c.oldEnd), lineOf(after, c.newEnd)
	return c
}

func atLineStart(src []byte, at int) bool { return at == 0 || src[at-1] == '\n' }

// lineOf returns the line of an offset, from 1.
func lineOf(src []byte, at int) int32 { return 1 + int32(bytes.Count(src[:at], []byte("\n"))) }

// isChanged reports whether a line of the text after the change is in the region.
func (c *region) isChanged(line int32) bool { return c.first <= line && line < c.newLast }

// lineAfter returns the line after the change of a line outside of the region; -1 for a line in it.
func (c *region) lineAfter(line int32) int32 {
	switch {
	case line < c.first:
		return line
	case line < c.oldLast:
		return -1
	}
	return line + c.newLast - c.oldLast
}

// declarations returns the declarations of the text before the change; nil if it cannot be parsed.
func (c *region) declarations(ctx context.Context, parsers *source.Parsers, lang source.Language) *source.File {
	if !c.declarationsKnown {
		c.declarationsKnown = true
		if file, err := parsers.Parse(ctx, c.before, lang, source.Options{}); err == nil {
			c.file = file
		}
	}
	return c.file
}

// around returns the indices of the declarations that contain the range from start to end, the innermost first.
func around(file *source.File, start, end int) []int {
	var all []int
	for i := range file.Chunks {
		if k := &file.Chunks[i]; int(k.Start) <= start && end <= int(k.End) && k.Kind != source.Module {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(b, a) })
	return all
}
