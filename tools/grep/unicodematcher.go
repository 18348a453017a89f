package grep

import (
	"context"
	"math/bits"
	"regexp/syntax"
	"sync"
	"unicode/utf8"
)

// unicodeMatcher finds the matches of a pattern with Unicode classes in texts beyond ASCII. Its machine assumes that all
// conditions on words hold, and so selects lines that may match; threads of the program check the conditions.
type unicodeMatcher struct {
	prog   *syntax.Prog
	exact  bool  // whether there are no conditions on words, so that the machine decides
	caches *pool // nil if the machine would be too large, or would select every line
	free   sync.Pool
}

// newUnicodeMatcher prepares a pattern with expanded classes.
func newUnicodeMatcher(wide string, flags syntax.Flags, lines bool) *unicodeMatcher {
	tree, err := syntax.Parse(wide, flags)
	if err != nil {
		panic("grep: a pattern with its classes written out: " + err.Error())
	}
	f := &unicodeMatcher{exact: true}
	if f.prog, err = syntax.Compile(tree.Simplify()); err != nil {
		panic("grep: a pattern with its classes written out: " + err.Error())
	}
	const words = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	loose := &syntax.Prog{Inst: append([]syntax.Inst(nil), f.prog.Inst...), Start: f.prog.Start, NumCap: f.prog.NumCap}
	for i := range loose.Inst {
		if inst := &loose.Inst[i]; inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&words != 0 {
			inst.Op, f.exact = syntax.InstNop, false
		}
	}
	if m := newMachine(loose, lines, false); m != nil {
		w := newWalker(m)
		if _, v := w.begin(nil); v != matched {
			f.caches = &pool{machine: m}
		}
	}
	return f
}

// matchLine reports whether a line matches.
func (f *unicodeMatcher) matchLine(ctx context.Context, line []byte) bool {
	if f.caches != nil {
		c := f.caches.get()
		possible := c.matchLine(ctx, line)
		f.caches.put(c)
		if !possible || f.exact {
			return possible
		}
	}
	return f.find(ctx, line, 0) != nil
}

// scan returns a position in each matching line of a text, in order.
func (f *unicodeMatcher) scan(ctx context.Context, text []byte) []int {
	c := f.caches.get()
	defer f.caches.put(c)
	c.scan(ctx, text)
	var hits []int
	for _, places := range c.hits {
		for _, at := range places {
			start, end := lineAround(text, at)
			if f.exact || f.find(ctx, text[start:end], 0) != nil {
				hits = append(hits, at)
			}
		}
	}
	return hits
}

// threads are the states of the program, by priority.
type threads struct {
	prog      *syntax.Prog
	now, next []thread
	mark      []uint32 // by instruction: the round in which a thread was added
	round     uint32
}

type thread struct {
	pc    uint32
	start int // start of the match
}

// checkEvery is the number of characters between checks of the context.
const checkEvery = 4096

// find returns the range of the leftmost match at or behind from that package regexp would prefer; nil without a match, or if
// ctx has ended.
func (f *unicodeMatcher) find(ctx context.Context, text []byte, from int) []int {
	t, ok := f.free.Get().(*threads)
	if !ok {
		t = &threads{prog: f.prog, mark: make([]uint32, len(f.prog.Inst))}
	}
	defer f.free.Put(t)
	t.now = t.now[:0]
	t.clear()
	before, at := rune(-1), from
	if from > 0 {
		before, _ = utf8.DecodeLastRune(text[:from])
	}
	var match []int
	for n := 1; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil
		}
		r, size := decode(text, at)
		if match == nil {
			t.now = t.add(t.now, thread{uint32(f.prog.Start), at}, lookAround(before, r))
		}
		if len(t.now) == 0 && match != nil {
			return match
		}
		following, _ := decode(text, at+size)
		t.clear()
		if end := t.step(r, lookAround(r, following)); end >= 0 {
			match = []int{end, at}
		}
		if size == 0 {
			return match
		}
		t.now, t.next = t.next, t.now
		before, at = r, at+size
	}
}

// step reads a character in all threads. It returns the start of a match that ends before the character, or -1. Threads with
// lower priority than a match are removed.
func (t *threads) step(r rune, look syntax.EmptyOp) int {
	t.next = t.next[:0]
	for _, th := range t.now {
		inst := &t.prog.Inst[th.pc]
		reads := false
		switch inst.Op {
		case syntax.InstMatch:
			return th.start
		case syntax.InstRuneAny:
			reads = r >= 0
		case syntax.InstRuneAnyNotNL:
			reads = r >= 0 && r != '\n'
		default:
			reads = r >= 0 && inst.MatchRune(r)
		}
		if reads {
			t.next = t.add(t.next, thread{inst.Out, th.start}, look)
		}
	}
	return -1
}

// clear starts a new round of add.
func (t *threads) clear() {
	if t.round++; t.round == 0 {
		clear(t.mark)
		t.round = 1
	}
}

// add appends the threads that are reachable without reading.
func (t *threads) add(list []thread, th thread, look syntax.EmptyOp) []thread {
	if t.mark[th.pc] == t.round {
		return list
	}
	t.mark[th.pc] = t.round
	switch inst := &t.prog.Inst[th.pc]; inst.Op {
	case syntax.InstFail:
	case syntax.InstAlt, syntax.InstAltMatch:
		list = t.add(list, thread{inst.Out, th.start}, look)
		list = t.add(list, thread{inst.Arg, th.start}, look)
	case syntax.InstCapture, syntax.InstNop:
		list = t.add(list, thread{inst.Out, th.start}, look)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(inst.Arg)&^look == 0 {
			list = t.add(list, thread{inst.Out, th.start}, look)
		}
	default:
		list = append(list, th)
	}
	return list
}

// decode returns the character at an offset, or -1 at the end.
func decode(text []byte, at int) (rune, int) {
	if at >= len(text) {
		return -1, 0
	}
	return utf8.DecodeRune(text[at:])
}

// lookAround returns the conditions that hold between two characters; -1 stands for the start or end of the text.
func lookAround(before, behind rune) syntax.EmptyOp {
	const words = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	look := syntax.EmptyOpContext(before, behind) &^ words
	if isWordRune(before) != isWordRune(behind) {
		return look | syntax.EmptyWordBoundary
	}
	return look | syntax.EmptyNoWordBoundary
}

// isASCII reports whether all bytes of a text are ASCII.
func isASCII(text []byte) bool { return indexBeyondASCII(text) < 0 }

// indexBeyondASCII returns the offset of the first byte beyond ASCII, or -1.
func indexBeyondASCII(text []byte) int {
	rest := text
	for len(rest) >= 32 && (word(rest[:8])|word(rest[8:16])|word(rest[16:24])|word(rest[24:32]))&highBits == 0 {
		rest = rest[32:]
	}
	for i, b := range rest {
		if b >= utf8.RuneSelf {
			return len(text) - len(rest) + i
		}
	}
	return -1
}

// mostlyUnicode reports whether most lines of a text probably contain characters beyond ASCII.
func mostlyUnicode(text []byte) bool {
	const often = 64 // bytes per byte beyond ASCII
	n := 0
	for rest := text; len(rest) >= 8; rest = rest[8:] {
		n += bits.OnesCount64(word(rest[:8]) & highBits)
	}
	return n > len(text)/often
}
