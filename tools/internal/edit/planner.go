package edit

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	maxEdits  = 1000
	maxPlaces = 250_000
	maxWork   = 4 << 30  // bytes looked at
	maxResult = 64 << 20 // bytes, or four times the content
)

// planner makes edits, one after the other.
type planner struct {
	original    string
	part        string // name of original in errors; "" is the file
	linesBefore int    // lines of the file before original
	edit        int    // the one at hand, from 1
	text        string
	changes     []Change  // of the original that make text
	applied     []Applied // Line is not yet known
	places      []int     // in text, of the first place of each edit

	views  map[fold]string // text as it is compared
	fitter *textfile.Text  // text, to fit line ends
	style  *style          // how text is indented
	reason string          // why the first place that is nearly right is not
	work   int             // bytes looked at
}

// admit refuses edits that make no sense.
func (p *planner) admit(edits []Edit) error {
	if !utf8.ValidString(p.original) {
		return &InvalidError{Message: "the content is not valid UTF-8", Next: "Decode it first."}
	}
	switch {
	case len(edits) == 0:
		return &InvalidError{Message: "there are no edits", Next: "Give at least one edit with oldText and newText."}
	case len(edits) > maxEdits:
		return &TooLargeError{Message: fmt.Sprintf("there are %d edits; at most %d can be made at once", len(edits), maxEdits), Next: "Make them in several calls."}
	}
	for i, e := range edits {
		if message, next := e.fault(); message != "" {
			return &InvalidError{Edit: i + 1, Message: message, Next: next}
		}
	}
	return nil
}

// fault returns the error and the advice for an edit that is invalid for every content.
func (e Edit) fault() (message, next string) {
	switch {
	case !utf8.ValidString(e.Old) || !utf8.ValidString(e.New):
		return "its text is not valid UTF-8", "Send valid UTF-8."
	case e.Old == e.New:
		return "oldText and newText are the same", "Leave the edit out, or correct newText."
	case e.ExpectedCount < 0 || e.NearLine < 0:
		return "expectedCount and nearLine cannot be negative", "Leave them out, or give 1 or more."
	case e.NearLine > 0 && e.every():
		return "nearLine chooses one place, but all are to be changed", "Leave out nearLine, or replaceAll and expectedCount."
	case e.Old != "" && (fold{}).apply(e.Old, false) == (fold{}).apply(e.New, false):
		return "oldText and newText differ only in line ends, which an edit keeps", "To convert line ends, write the file with eol=lf or eol=crlf."
	}
	return "", ""
}

// every reports whether all places are to be changed.
func (e Edit) every() bool { return e.ReplaceAll || e.ExpectedCount > 1 }

// apply makes one edit.
func (p *planner) apply(e Edit) error {
	if p.work > maxWork {
		return &TooLargeError{Edit: p.edit, Message: "this number of edits takes too long for a text of this size", Next: "Make them in several calls."}
	}
	if e.Old == "" {
		return p.fill(e)
	}
	p.reason = ""
	found, err := p.match(e)
	if err != nil {
		return err
	}
	if err := p.checkSize(found.places); err != nil {
		return err
	}
	hunks := p.hunks(found)
	if len(hunks) == 0 {
		return p.noMatch(e)
	}
	p.commit(hunks, found.places[0].start, Applied{Count: len(found.places), By: found.by})
	return nil
}

// fill makes the content of an empty text.
func (p *planner) fill(e Edit) error {
	if p.text != "" {
		return &InvalidError{Edit: p.edit, Message: "oldText is empty, but the file is not",
			Next: "To insert text, give a line next to the place as oldText, and the same line with the new text as newText. To replace the whole file, write it."}
	}
	p.commit([]hunk{{0, 0, e.New}}, 0, Applied{Count: 1})
	return nil
}

// checkSize refuses edits that would fill the memory.
func (p *planner) checkSize(places []place) error {
	size := len(p.text)
	for _, pl := range places {
		size += len(pl.new)
	}
	if most := max(maxResult, 4*len(p.original)); size > most {
		return &TooLargeError{Edit: p.edit, Message: fmt.Sprintf("the text would become larger than %d bytes", most), Next: "Insert less text, or at fewer places."}
	}
	return nil
}

// commit makes hunks of an edit.
func (p *planner) commit(hunks []hunk, place int, a Applied) {
	p.changes = compose(p.changes, hunks)
	for i := range p.places {
		p.places[i] = moved(p.places[i], hunks)
	}
	p.places = append(p.places, place) // nothing is changed in front of it
	p.applied = append(p.applied, a)
	p.text = patch(p.text, hunks)
	p.work += len(p.text)
	p.views, p.fitter, p.style = nil, nil, nil
}

// moved returns the offset of a place after hunks are applied. A replaced place is at the beginning of its replacement.
func moved(place int, hunks []hunk) int {
	n := sort.Search(len(hunks), func(i int) bool { return hunks[i].end > place })
	shift := 0
	for _, h := range hunks[:n] {
		shift += len(h.text) - (h.end - h.start)
	}
	if n < len(hunks) {
		place = min(place, hunks[n].start)
	}
	return place + shift
}

// result returns the result of all edits.
func (p *planner) result() *Result {
	order := make([]int, len(p.places))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return p.places[order[i]] < p.places[order[j]] })
	sorted := make([]int, len(order))
	for i, n := range order {
		sorted[i] = p.places[n]
	}
	for i, line := range lineNumbers(p.text, sorted) {
		p.applied[order[i]].Line = p.linesBefore + line
	}
	return &Result{Changes: p.changes, Applied: p.applied}
}

// view is the text as it is compared.
func (p *planner) view(f fold) string {
	if v, ok := p.views[f]; ok {
		return v
	}
	if p.views == nil {
		p.views = make(map[fold]string)
	}
	v := f.apply(p.text, true)
	p.work += len(p.text)
	p.views[f] = v
	return v
}

// fit gives new text the line ends of the place that it goes to.
func (p *planner) fit(start, end int, text string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	if p.fitter == nil {
		// The text is never taken for one that begins with a byte-order mark.
		p.fitter, _ = textfile.Decode([]byte(guard+p.text), textfile.UTF8)
		p.work += len(p.text)
	}
	return p.fitter.Fit(len(guard)+start, len(guard)+end, text, textfile.Keep)
}

const guard = " "

// lineNumbers returns the lines of ascending places.
func lineNumbers(s string, places []int) []int {
	lines := make([]int, len(places))
	line, next := 0, 0
	ended := true // the line in front of next has a line end
	for i, place := range places {
		for place >= next && ended {
			var end int
			end, next = lineEnd(s, next)
			ended = next > end
			line++
		}
		lines[i] = line
	}
	return lines
}
