package edit

import "strings"

// Edit says what stands in a text and what is to stand there instead.
type Edit struct {
	// Old is the text that is replaced. It is empty only for an empty content, all of which is New then.
	Old string
	// New is the text that replaces it. It differs from Old in more than line ends.
	New string
	// ReplaceAll changes every place, not just the only one.
	ReplaceAll bool
	// ExpectedCount is how many places there must be; 0 is one, or any number with ReplaceAll.
	ExpectedCount int
	// NearLine is a line, from 1, of the content as it was before any of the edits, that helps to choose among several
	// places; 0 is none. It does not go together with ReplaceAll.
	NearLine int
}

// Change replaces content[Start:End] of the original content.
type Change struct {
	Start, End int
	New        string
}

// Applied tells what became of an edit.
type Applied struct {
	Line  int  // where the first place begins in the text after all edits, from 1
	Count int  // the places
	By    Step // how they were found
}

// Result is how all edits are made.
type Result struct {
	Changes []Change  // in ascending order and apart
	Applied []Applied // for each edit
}

// Plan finds the places of edits in content and answers what to change there, or the reason why one of the edits cannot be
// made, and then none is. The content must be valid UTF-8, without the byte-order mark.
//
// The error is a *NoMatchError, *AmbiguousError, *CountError, *TooLargeError or, for an edit that makes no sense whatever the
// content is, an *InvalidError.
func Plan(content string, edits []Edit) (*Result, error) {
	p := planner{original: content, text: content}
	if err := p.admit(edits); err != nil {
		return nil, err
	}
	for i, e := range edits {
		p.edit = i + 1
		if err := p.apply(e); err != nil {
			return nil, err
		}
	}
	return p.result(), nil
}

// Apply makes the changes.
func (r *Result) Apply(content string) string {
	hunks := make([]hunk, len(r.Changes))
	for i, c := range r.Changes {
		hunks[i] = hunk{c.Start, c.End, c.New}
	}
	return patch(content, hunks)
}

// hunk replaces a part of the text that an edit was applied to.
type hunk struct {
	start, end int
	text       string
}

// patch makes hunks, which are in ascending order and apart.
func patch(text string, hunks []hunk) string {
	var b strings.Builder
	b.Grow(patchedSize(text, hunks))
	at := 0
	for _, h := range hunks {
		b.WriteString(text[at:h.start])
		b.WriteString(h.text)
		at = h.end
	}
	b.WriteString(text[at:])
	return b.String()
}

func patchedSize(text string, hunks []hunk) int {
	n := len(text)
	for _, h := range hunks {
		n += len(h.text) - (h.end - h.start)
	}
	return n
}
