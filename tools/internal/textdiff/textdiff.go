package textdiff

import "strings"

// Options control the content and the size of a diff. The zero value shows three lines around each
// change and all changes.
type Options struct {
	// Context is the number of unchanged lines before and after a change: 0 means 3, a negative
	// number means none.
	Context int
	// MaxBytes is the maximum length of the diff in bytes; it is cut at a line. 0 means no limit.
	MaxBytes int
	// MaxLine is the maximum length of one line in bytes; the rest is omitted. 0 means no limit.
	MaxLine int
	// OldFirst is the number of the first line of the old text; 0 means 1.
	OldFirst int
	// NewFirst is the number of the first line of the new text; 0 means 1.
	NewFirst int
}

// defaultContext is the number of context lines if Options.Context is 0.
const defaultContext = 3

func (o Options) context() int {
	if o.Context == 0 {
		return defaultContext
	}
	return max(o.Context, 0)
}

// Edit replaces old[Start:End] by New. Start and End are offsets in bytes.
type Edit struct {
	Start, End int
	New        string
}

// Unified returns the unified diff of two texts, with the names in its header. It is empty if the
// texts are equal.
func Unified(oldName, newName, old, new string, o Options) string {
	return Edits(oldName, newName, old, []Edit{{0, len(old), new}}, o)
}

// Edits formats the effect of edits on old as a diff. The edits must be in ascending order and must
// not overlap. The result is empty if nothing changes.
func Edits(oldName, newName, old string, edits []Edit, o Options) string {
	old, edits = splitCR(old, edits)
	blocks := refine(old, blocksOf(old, edits))
	if len(blocks) == 0 {
		return ""
	}
	p := printer{options: o, old: old} // groups the blocks into hunks and writes them
	p.line("--- ", oldName)
	p.line("+++ ", newName)
	p.hunks(blocks)
	return p.out.String()
}

// splitCR replaces CR by LF in a text and its edits if all line ends are CR alone. Otherwise the
// diff would show the entire text as one line, because it splits lines at LF.
func splitCR(old string, edits []Edit) (string, []Edit) {
	if !strings.Contains(old, "\r") || strings.Contains(old, "\n") {
		return old, edits
	}
	for _, e := range edits {
		if strings.Contains(e.New, "\n") {
			return old, edits
		}
	}
	lines := make([]Edit, len(edits))
	for i, e := range edits {
		lines[i] = Edit{e.Start, e.End, strings.ReplaceAll(e.New, "\r", "\n")}
	}
	return strings.ReplaceAll(old, "\r", "\n"), lines
}

// block is a range of complete lines of the old text with their replacement. At the end of the text
// a last line without LF counts as complete.
type block struct {
	start, end int // in the old text
	new        string
}

// blocksOf extends edits to complete lines and joins edits in the same line.
func blocksOf(old string, edits []Edit) []block {
	w := widener{old: old}
	for _, e := range edits {
		if e = e.trim(old); e.Start == e.End && e.New == "" {
			continue
		}
		if w.open && !w.holds(e.Start) {
			w.close()
		}
		if !w.open {
			w.open = true
			w.start = strings.LastIndexByte(old[:e.Start], '\n') + 1
			w.at = w.start
		}
		w.new = append(append(w.new, old[w.at:e.Start]...), e.New...)
		w.at = e.End
	}
	if w.open {
		w.close()
	}
	return w.blocks
}

// widener makes blocks, one after the other. A block stays open for further edits in its last line.
type widener struct {
	old    string
	blocks []block // the closed blocks
	open   bool    // a block is open
	start  int     // offset in old at which the open block begins, the beginning of a line
	at     int     // offset in old up to which the edits have been applied
	new    []byte  // the new text for old[start:at]
	end    int     // cache of lineEnd, valid if it is greater than at
}

// isComplete reports whether the open block consists of complete lines.
func (w *widener) isComplete() bool {
	return (w.at == 0 || w.old[w.at-1] == '\n') && (len(w.new) == 0 || w.new[len(w.new)-1] == '\n')
}

// lineEnd returns the end of the line of old that contains at, after its LF. It searches once for
// each line.
func (w *widener) lineEnd() int {
	if w.end <= w.at {
		w.end = behind(w.old, w.at, 1)
	}
	return w.end
}

// holds reports whether the next edit, at the offset start, begins in the last line of the open
// block.
func (w *widener) holds(start int) bool {
	if w.isComplete() {
		return false
	}
	end := w.lineEnd()
	// An edit at the end of the text appends to the last line if that line has no LF.
	return start < end || start == end && (end == 0 || w.old[end-1] != '\n')
}

// close ends the open block at the end of a line.
func (w *widener) close() {
	end := w.at
	if !w.isComplete() {
		end = w.lineEnd()
	}
	w.blocks = append(w.blocks, block{w.start, end, string(append(w.new, w.old[w.at:end]...))})
	w.open, w.new = false, w.new[:0]
}

// trim removes the common beginning and end of an edit's new text and the replaced text.
func (e Edit) trim(old string) Edit {
	was := old[e.Start:e.End]
	head := 0
	for head < len(was) && head < len(e.New) && was[head] == e.New[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(e.New)-head && was[len(was)-1-tail] == e.New[len(e.New)-1-tail] {
		tail++
	}
	return Edit{e.Start + head, e.End - tail, e.New[head : len(e.New)-tail]}
}

// refine compares the lines of each block with their replacement, and returns blocks of the changed
// lines only.
func refine(old string, blocks []block) []block {
	var fine []block
	for _, b := range blocks {
		was, now := splitLines(old[b.start:b.end]), splitLines(b.new)
		at, done := b.start, 0
		for _, s := range Compare(was, now) {
			at += size(was[done:s.A0])
			end := at + size(was[s.A0:s.A1])
			fine = append(fine, block{at, end, strings.Join(now[s.B0:s.B1], "")})
			at, done = end, s.A1
		}
	}
	return fine
}

func size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line)
	}
	return n
}

// splitLines splits a text behind each LF.
func splitLines(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for s != "" {
		i := strings.IndexByte(s, '\n') + 1
		if i == 0 {
			i = len(s)
		}
		lines = append(lines, s[:i])
		s = s[i:]
	}
	return lines
}

// linesIn counts the lines of a text; a last one without LF counts.
func linesIn(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// before returns the beginning of the n-th line before the line that begins at at.
func before(s string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		at = strings.LastIndexByte(s[:at-1], '\n') + 1
	}
	return at
}

// behind returns the end of the n-th line from at on.
func behind(s string, at, n int) int {
	for ; n > 0 && at < len(s); n-- {
		i := strings.IndexByte(s[at:], '\n') + 1
		if i == 0 {
			return len(s)
		}
		at += i
	}
	return at
}

// group returns the number of blocks, from the first on, that are near enough for one hunk.
func group(old string, blocks []block, context int) int {
	n := 1
	for n < len(blocks) && behind(old, blocks[n-1].end, 2*context) >= blocks[n].start {
		n++
	}
	return n
}
