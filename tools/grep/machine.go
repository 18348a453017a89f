package grep

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// maxNodes limits the size of a machine. A character class needs up to some hundred nodes.
const maxNodes = 100_000

// op is the operation of a node.
type op uint8

const (
	opFail   op = iota
	opBytes     // reads a byte of set, continues at out
	opClass     // reads a byte like one of the opBytes machine.heads[out:alt], and continues like that one
	opEither    // continues at out and alt without reading
	opEmpty     // continues at out if the condition holds
	opMatch
)

// node is a state of a nondeterministic automaton that reads bytes.
type node struct {
	op       op
	look     syntax.EmptyOp // the condition of opEmpty
	set      int32          // of opBytes, in machine.sets
	out, alt int32          // alt of opEither is -1 for none
}

// machine is a nondeterministic automaton that reads UTF-8 byte by byte, and detects the end of a match after each byte.
// Invalid UTF-8 must be replaced before.
//
// In a machine for lines, no match contains a line end, and each line is a separate text.
type machine struct {
	nodes    []node
	sets     []byteSet
	heads    []int32
	alphabet alphabet
	start    int32 // start of each text: reads any characters until a match begins
	any      int32 // first of the nodes that read text before a match
	first    int32 // the node of them at the start of a character
	lines    bool
	words    bool // whether conditions depend on word characters
	anchored bool // whether matches only begin at line starts
	ascii    bool // reads ASCII only; other bytes are invalid
}

// builder converts a program of package regexp to a machine. Instructions and their nodes have the same numbers.
type builder struct {
	machine
	setIDs map[byteSet]int32
}

// newMachine returns the machine of a program; nil if it is too large. With ascii it reads ASCII texts only.
func newMachine(prog *syntax.Prog, lines, ascii bool) *machine {
	b := &builder{machine: machine{nodes: make([]node, len(prog.Inst)), lines: lines, ascii: ascii}, setIDs: make(map[byteSet]int32)}
	for i := range prog.Inst {
		b.instruction(int32(i), &prog.Inst[i])
		if len(b.nodes) > maxNodes {
			return nil
		}
	}
	b.any = int32(len(b.nodes))
	b.start = b.add(node{op: opEither, out: int32(prog.Start)})
	b.first = b.add(b.class(b.legal([]runeRange{{0, utf8.MaxRune}}), b.start))
	b.nodes[b.start].alt = b.first
	b.alphabet = newAlphabet(append(b.sets, b.distinguishedSets()...))
	b.anchored = lines && !canBeginMidLine(prog)
	return &b.machine
}

func (b *builder) add(n node) int32 {
	b.nodes = append(b.nodes, n)
	return int32(len(b.nodes) - 1)
}

// bytes adds a node that reads a byte.
func (b *builder) bytes(set byteSet, out int32) int32 {
	id, ok := b.setIDs[set]
	if !ok {
		id = int32(len(b.sets))
		b.sets = append(b.sets, set)
		b.setIDs[set] = id
	}
	return b.add(node{op: opBytes, set: id, out: out})
}

// either returns a node that continues at all of ids.
func (b *builder) either(ids []int32) int32 {
	if len(ids) == 0 {
		return b.add(node{op: opFail})
	}
	id := ids[0]
	for _, other := range ids[1:] {
		id = b.add(node{op: opEither, out: other, alt: id})
	}
	return id
}

func (b *builder) instruction(id int32, inst *syntax.Inst) {
	switch inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		b.nodes[id] = node{op: opEither, out: int32(inst.Out), alt: int32(inst.Arg)}
	case syntax.InstCapture, syntax.InstNop:
		b.nodes[id] = node{op: opEither, out: int32(inst.Out), alt: -1}
	case syntax.InstEmptyWidth:
		look := syntax.EmptyOp(inst.Arg)
		b.words = b.words || look&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
		b.nodes[id] = node{op: opEmpty, look: look, out: int32(inst.Out)}
	case syntax.InstMatch:
		b.nodes[id] = node{op: opMatch}
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		b.nodes[id] = b.class(b.legal(runesOf(inst)), int32(inst.Out))
	}
}

// legal removes the characters that cannot occur in texts of the machine.
func (b *builder) legal(ranges []runeRange) []runeRange {
	ranges = legalRanges(ranges, b.lines)
	if b.ascii {
		ranges = clipRanges(ranges, runeRange{0, utf8.RuneSelf - 1})
	}
	return ranges
}

// legalRanges removes line ends if each line is a separate text.
func legalRanges(ranges []runeRange, lines bool) []runeRange {
	if lines {
		return normalRanges(ranges, '\n', '\r')
	}
	return normalRanges(ranges)
}

// runesOf returns the characters that an instruction reads.
func runesOf(inst *syntax.Inst) []runeRange {
	switch {
	case inst.Op == syntax.InstRuneAny:
		return []runeRange{{0, utf8.MaxRune}}
	case inst.Op == syntax.InstRuneAnyNotNL:
		return []runeRange{{0, '\n' - 1}, {'\n' + 1, utf8.MaxRune}}
	case len(inst.Rune) == 1:
		r := inst.Rune[0]
		ranges := []runeRange{{r, r}}
		if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				ranges = append(ranges, runeRange{other, other})
			}
		}
		return ranges
	}
	var ranges []runeRange
	for i := 0; i+1 < len(inst.Rune); i += 2 {
		ranges = append(ranges, runeRange{inst.Rune[i], inst.Rune[i+1]})
	}
	return ranges
}

// distinguishedSets returns byte sets that conditions must distinguish.
func (b *builder) distinguishedSets() []byteSet {
	var lf, cr, word, beyond byteSet
	lf.add('\n', '\n')
	cr.add('\r', '\r')
	if b.ascii {
		beyond.add(utf8.RuneSelf, 0xFF)
	}
	for c := range 256 {
		if b.words && isWordByte(byte(c)) {
			word.add(byte(c), byte(c))
		}
	}
	return []byteSet{lf, cr, word, beyond}
}

const lookBehind = syntax.EmptyBeginLine | syntax.EmptyBeginText

// canBeginMidLine reports whether a match can begin after the start of a line.
func canBeginMidLine(prog *syntax.Prog) bool {
	return reaches(prog, func(inst *syntax.Inst) bool {
		return inst.Op == syntax.InstMatch || isReading(inst) || inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&lookBehind == 0
	}, func(inst *syntax.Inst) bool { return inst.Op != syntax.InstEmptyWidth })
}

// satisfiable reports whether some text matches, regardless of conditions.
func satisfiable(prog *syntax.Prog, lines bool) bool {
	return reaches(prog, func(inst *syntax.Inst) bool { return inst.Op == syntax.InstMatch }, func(inst *syntax.Inst) bool {
		return !isReading(inst) || len(legalRanges(runesOf(inst), lines)) > 0
	})
}

func isReading(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// reaches reports whether a goal is reachable from the start of a program through open instructions.
func reaches(prog *syntax.Prog, goal, open func(*syntax.Inst) bool) bool {
	seen := make([]bool, len(prog.Inst))
	for stack := []uint32{uint32(prog.Start)}; len(stack) > 0; {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		inst := &prog.Inst[pc]
		if goal(inst) {
			return true
		}
		if inst.Op == syntax.InstFail || !open(inst) {
			continue
		}
		stack = append(stack, inst.Out)
		if inst.Op == syntax.InstAlt || inst.Op == syntax.InstAltMatch {
			stack = append(stack, inst.Arg)
		}
	}
	return false
}
