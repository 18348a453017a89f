package edit

import (
	"sort"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// Bounds of the search for the lines that are most like Old.
const (
	mostAnchors    = 8    // lines of Old that are looked for
	mostPerAnchor  = 16   // places of each
	mostCompared   = 2000 // lines of Old
	mostOfLine     = 512  // bytes of a line
	mostDiff       = 2500 // bytes
	leastLikeness  = 60   // least similarity of a line with Old in percent, if no line is equal
	mostDisplaced  = 12   // lines in between that Old lacks
	leastAnchorLen = 3    // bytes
)

// noMatch is the error for an edit that no step finds.
func (p *planner) noMatch(e Edit) error {
	err := &NoMatchError{Edit: p.edit, Reason: p.reason, Part: p.part}
	err.Earlier = p.edit > 1 && len(p.search(p.original, e.Old, 1)) > 0
	if weight(e.New, 4) == 4 {
		text, new := p.view(fold{}), (fold{}).apply(e.New, false)
		if found := p.search(text, new, 1); len(found) > 0 {
			at := (fold{}).locate(p.text, true, found[:1], late)
			err.Present = p.linesOf(at)[0]
		}
	}
	n := neighbourhood{p: p, old: splitLines(e.Old)}
	if from, to := n.find(); to > from {
		err.First, err.Last = p.lineAt(n.offsets[from]), p.lineAt(n.offsets[to-1])
		err.Diff = n.diff(from, to, err.First)
	}
	return err
}

func (p *planner) lineAt(place int) int { return p.linesOf([]int{place})[0] }

// neighbourhood finds the lines of the text that are most like Old.
type neighbourhood struct {
	p       *planner
	old     []line
	keys    []string // of the lines of Old, up to a bound
	lines   []line   // of the text
	offsets []int    // where they begin
	text    []string // their keys, if Old contains them
}

// find returns the range of the most similar lines.
func (n *neighbourhood) find() (from, to int) {
	wanted := make(map[string]bool)
	for _, l := range n.old[:min(len(n.old), mostCompared)] {
		k := key(l.text)
		n.keys = append(n.keys, k)
		wanted[k] = true
	}
	at := make(map[string][]int)
	count := make(map[string]int)
	n.scan(func(i int, k string) {
		if wanted[k] {
			count[k]++
			if len(at[k]) < mostPerAnchor {
				at[k] = append(at[k], i)
			}
			n.text[i] = k
		}
	})
	best, score := 0, 0
	for _, i := range n.anchors(count) {
		for _, j := range at[n.keys[i]] {
			if s := n.score(j - i); s > score {
				best, score = j-i, s
			}
		}
	}
	if score == 0 {
		var ok bool
		if best, ok = n.similar(); !ok {
			return 0, 0
		}
	}
	return n.extent(best)
}

// scan visits the lines of the text.
func (n *neighbourhood) scan(visit func(i int, key string)) {
	n.p.work += len(n.p.text)
	n.lines = splitLines(n.p.text)
	n.offsets = make([]int, len(n.lines))
	n.text = make([]string, len(n.lines))
	at := 0
	for i, l := range n.lines {
		n.offsets[i] = at
		at += len(l.text) + len(l.end)
		visit(i, key(l.text))
	}
}

// key returns a line without white space, kind of punctuation and case, which models often get wrong. A long line is cut.
func key(line string) string {
	line = line[:min(len(line), mostOfLine)]
	line = fold{punctuation: true, trailing: true}.apply(strings.ToValidUTF8(line, ""), false)
	return strings.ToLower(strings.Join(strings.Fields(line), ""))
}

// anchors returns the lines of Old that are rarest in the text.
func (n *neighbourhood) anchors(count map[string]int) []int {
	var all []int
	seen := make(map[string]bool)
	for i, k := range n.keys {
		if count[k] > 0 && !seen[k] && len(k) >= leastAnchorLen {
			seen[k] = true
			all = append(all, i)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return count[n.keys[all[i]]] < count[n.keys[all[j]]] })
	return all[:min(len(all), mostAnchors)]
}

// score weighs the lines of Old that the text has in the same place, if Old begins at a line.
func (n *neighbourhood) score(first int) int {
	n.p.work += len(n.keys)
	score := 0
	for i, k := range n.keys {
		if j := first + i; j >= 0 && j < len(n.text) && n.text[j] == k && k != "" {
			score += min(len(k), 80)
		}
	}
	return score
}

// extent is the lines that Old covers if it begins at a line, and some more if that is where its last line, or the first, is.
func (n *neighbourhood) extent(first int) (from, to int) {
	last := first + len(n.old)
	if len(n.keys) == len(n.old) {
		if k := n.keys[len(n.keys)-1]; len(k) > 0 {
			for j := max(last, 0); j < min(last+mostDisplaced, len(n.text)); j++ {
				if n.text[j] == k {
					last = j + 1
					break
				}
			}
		}
	}
	if k := n.keys[0]; len(k) > 0 && (first < 0 || first >= len(n.text) || n.text[first] != k) {
		for j := min(first, len(n.text)) - 1; j >= max(first-mostDisplaced, 0); j-- {
			if n.text[j] == k {
				first = j
				break
			}
		}
	}
	return max(first, 0), min(last, len(n.text))
}

// similar searches the line that is most similar to the longest line of Old. It returns the line at which Old would begin.
func (n *neighbourhood) similar() (first int, ok bool) {
	longest := 0
	for i, k := range n.keys {
		if len(k) > len(n.keys[longest]) {
			longest = i
		}
	}
	const gram = 3
	target := n.keys[longest]
	if len(target) < 2*gram {
		return 0, false
	}
	// last[h] is the last line, from 1, with a part of hash h; 0 if target lacks the part.
	const size = 1 << 12
	hash := func(s string) int { return (int(s[0])*31*31 + int(s[1])*31 + int(s[2])) % size }
	var wanted [size]bool
	var last [size]int
	parts := 0
	for i := range len(target) - gram + 1 {
		if h := hash(target[i:]); !wanted[h] {
			wanted[h] = true
			parts++
		}
	}
	best, score := 0, 0
	for i, l := range n.lines {
		k := key(l.text)
		n.p.work += len(k)
		hits := 0
		for j := range max(len(k)-gram+1, 0) {
			if h := hash(k[j:]); wanted[h] && last[h] != i+1 {
				last[h] = i + 1
				hits++
			}
		}
		// A line that has much else is less like it.
		if s := hits*100 - max(0, len(k)-2*len(target)); s > score {
			best, score = i, s
		}
	}
	return best - longest, score >= leastLikeness*parts
}

// diff leads from Old to lines of the text.
func (n *neighbourhood) diff(from, to, number int) string {
	old, text := show(n.old, n.lines[from:to])
	return textdiff.Unified("oldText", "file", old, text, textdiff.Options{MaxBytes: mostDiff, MaxLine: mostOfLine / 2, NewFirst: number, Context: 2})
}

// show writes lines of Old and of the text so that white space can be seen where only that differs.
func show(old, text []line) (string, string) {
	whole := func(lines []line) map[string]bool {
		all := make(map[string]bool)
		for _, l := range lines {
			all[l.text] = true
		}
		return all
	}
	packed := func(lines []line) map[string]bool {
		all := make(map[string]bool)
		for _, l := range lines {
			all[strings.Join(strings.Fields(l.text), "")] = true
		}
		return all
	}
	write := func(lines []line, other, otherPacked map[string]bool) string {
		var b strings.Builder
		for _, l := range lines {
			s := l.text
			if !other[s] && otherPacked[strings.Join(strings.Fields(s), "")] {
				s = visible.Replace(s)
			}
			b.WriteString(s + "\n")
		}
		return b.String()
	}
	return write(old, whole(text), packed(text)), write(text, whole(old), packed(old))
}

// visible shows white space.
var visible = strings.NewReplacer(" ", "·", "\t", "→", "\r", "␍", "\u00a0", "⍽", "\u3000", "□")
