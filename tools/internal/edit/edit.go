package edit

import "strings"

// Edit is a replacement of text.
type Edit struct {
	// Old is the present text. It is empty only for an empty content, which New then replaces completely.
	Old string
	// New is the replacement. It differs from Old in more than line ends.
	New string
	// ReplaceAll replaces every match.
	ReplaceAll bool
	// ExpectedCount is the required number of matches; 0 is one, or any number with ReplaceAll.
	ExpectedCount int
	// NearLine is a line of the content before all edits, from 1, that selects one of several matches. 0 is none. It excludes
	// ReplaceAll.
	NearLine int
}

// Change replaces content[Start:End] of the original content.
type Change struct {
	Start, End int
	New        string
}

// Applied describes the matches of an edit.
type Applied struct {
	Line  int  // line of the first match in the text after all edits, from 1
	Count int  // number of matches
	By    Step // step that found them
}

// Result has the changes of all edits.
type Result struct {
	Changes []Change  // in ascending order, not touching
	Applied []Applied // one for each edit
}

// Plan finds the matches of edits in content and returns the changes. If one edit fails, no changes are returned. content must
// be valid UTF-8 without byte-order mark.
//
// The error is a *NoMatchError, *AmbiguousError, *CountError, *TooLargeError, or an *InvalidError for an edit that is invalid
// for every content.
func Plan(content string, edits []Edit) (*Result, error) {
	p := planner{original: content, text: content}
	return p.plan(edits)
}

// PlanPart is Plan for content[start:end]: matches outside of that part do not count. Lines and changes are those of content. part
// names it in errors, for example "chunk". NearLine must be 0.
func PlanPart(content string, start, end int, part string, edits []Edit) (*Result, error) {
	p := planner{original: content[start:end], text: content[start:end], part: part, linesBefore: lineNumbers(content, []int{start})[0] - 1}
	result, err := p.plan(edits)
	if err != nil {
		return nil, err
	}
	for i := range result.Changes {
		result.Changes[i].Start += start
		result.Changes[i].End += start
	}
	return result, nil
}

// plan makes edits and returns the result.
func (p *planner) plan(edits []Edit) (*Result, error) {
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

// Apply returns content with the changes.
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
