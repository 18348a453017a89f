package treesitter_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// The first byte of a text selects the behaviour of toyGrammar; any other byte gives a text without
// declarations.
const (
	traps    = "t"
	exhausts = "m" // traps after it has said that the memory is not enough
	endless  = "s" // goes on until it is told to stop
	tooMany  = "n" // answers more integers than its memory has
	farAway  = "f" // has its results behind the end of its memory
	outside  = "o" // finds a declaration outside of the text
)

// newToy makes a parser of which every grammar is the toy.
func newToy(t *testing.T, o treesitter.Options, l treesitter.Limits, languages ...source.Language) *treesitter.Parser {
	t.Helper()
	p := treesitter.NewWith(o, toyFiles(t, languages...), l, languages...)
	t.Cleanup(func() { p.Close() })
	return p
}

// toyFiles returns the files of a parser of which every grammar is the toy.
func toyFiles(t *testing.T, languages ...source.Language) fstest.MapFS {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(toyGrammar()); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, lang := range languages {
		files["grammars/"+string(lang)+".wasm.gz"] = &fstest.MapFile{Data: packed.Bytes()}
		files["queries/"+string(lang)+".scm"] = &fstest.MapFile{Data: []byte("(a name: (b) @name) @function (a (b) @inner) @outer")}
	}
	return files
}

// Addresses in the toy's memory of two pages.
const (
	exhaustedAt = 16
	resultsAt   = 32
	textAt      = 1024
	keptTo      = 512
)

// WebAssembly, as far as the toy needs it.
const (
	opUnreachable, opLoop, opIf, opEnd, opBranchIf, opReturn, opCall = 0x00, 0x03, 0x04, 0x0b, 0x0d, 0x0f, 0x10
	opLoad, opLoad8, opStore, opConst, opEqualsZero, opEqual         = 0x28, 0x2d, 0x36, 0x41, 0x45, 0x46

	noResult = 0x40
)

// toyGrammar is a module with the functions of shim.c.
func toyGrammar() []byte {
	stopUntilTold := []byte{opLoop, noResult, opCall, 0, opEqualsZero, opBranchIf, 0, opEnd, opUnreachable}
	exhaust := slices.Concat(constant(exhaustedAt), constant(1), []byte{opStore, 2, 0, opUnreachable})
	// The type index of a function gives its parameters: none, or one integer.
	functions := []struct {
		name string
		kind byte
		code []byte
	}{
		{"buffer", 1, constant(textAt)},
		{"compile", 1, constant(0)},
		{"failed", 0, constant(0)},
		{"kept", 0, constant(keptTo)},
		{"parse", 0, slices.Concat(when(traps, []byte{opUnreachable}), when(exhausts, exhaust), when(endless, stopUntilTold), constant(0))},
		{"run", 1, slices.Concat(when(tooMany, answer(1<<30+1)), when(farAway, answer(4)), when(outside, answer(10)), constant(0))},
		{"exceeded", 0, constant(0)},
		{"exhausted", 0, slices.Concat(constant(exhaustedAt), []byte{opLoad, 2, 0})},
		{"problems", 0, constant(0)},
		{"walk", 0, slices.Concat(when(tooMany, answer(1<<30+1)), when(farAway, answer(4)), when(outside, answer(10)), constant(0))},
		{"kind", 1, constant(0)},
		{"results", 0, slices.Concat(when(farAway, answer(1<<17)), constant(resultsAt))},
	}
	types := vector([]byte{0x60, 0, 1, 0x7f}, []byte{0x60, 1, 0x7f, 1, 0x7f})
	imports := vector(slices.Concat(text("dougu"), text("stop"), []byte{0, 0}))
	var kinds, exports, bodies [][]byte
	for i, f := range functions {
		kinds = append(kinds, []byte{f.kind})
		exports = append(exports, append(text(f.name), 0, byte(i+1)))
		body := slices.Concat([]byte{0}, f.code, []byte{opEnd})
		bodies = append(bodies, append(leb(len(body)), body...))
	}
	// A match of the first pattern whose two captures end behind every text.
	var match []byte
	for _, v := range []uint32{0, 2, 0, 1, 0, 1 << 20, 1, 2, 0, 1 << 20} {
		match = binary.LittleEndian.AppendUint32(match, v)
	}
	data := vector(slices.Concat([]byte{0}, constant(resultsAt), []byte{opEnd}, leb(len(match)), match))
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), section(1, types), section(2, imports), section(3, vector(kinds...)),
		section(5, vector([]byte{0, 2})), section(7, vector(exports...)), section(10, vector(bodies...)), section(11, data))
}

// when is code that is run if the text begins with a byte.
func when(first string, code []byte) []byte {
	return slices.Concat(constant(textAt), []byte{opLoad8, 0, 0}, constant(int(first[0])), []byte{opEqual, opIf, noResult}, code, []byte{opEnd})
}

func answer(n int) []byte { return append(constant(n), opReturn) }

func constant(n int) []byte { return append([]byte{opConst}, signed(n)...) }

func section(id byte, content []byte) []byte {
	return slices.Concat([]byte{id}, leb(len(content)), content)
}

func vector(items ...[]byte) []byte { return append(leb(len(items)), slices.Concat(items...)...) }

func text(s string) []byte { return append(leb(len(s)), s...) }

func leb(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// signed is a number that is not negative, as a signed one.
func signed(n int) []byte {
	out := leb(n)
	if out[len(out)-1]&0x40 != 0 {
		out[len(out)-1] |= 0x80
		out = append(out, 0)
	}
	return out
}
