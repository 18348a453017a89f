package segment

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/search/index"
)

func TestBits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOf(rapid.Custom(func(r *rapid.T) uint32 { return rapid.Uint32().Draw(r, "v") >> rapid.IntRange(0, 31).Draw(r, "by") })).Draw(r, "values")
		k := uint(rapid.IntRange(0, 28).Draw(r, "k"))
		var w bitWriter
		for _, v := range values {
			w.rice(v, k)
			w.gamma(v&0xFFFF | 1)
			w.put(uint64(v), 32)
		}
		w.align()
		read := bitReader{data: w.buf}
		for i, v := range values {
			rice, gamma := read.rice(k), read.gamma()
			read.fill()
			if raw := read.take(32); rice != v || gamma != v&0xFFFF|1 || raw != v {
				r.Fatalf("value %d is %d, %d, %d, and was %d", i, rice, gamma, raw, v)
			}
		}
		if read.overrun() {
			r.Fatal("more was read than written")
		}
		for range 9 {
			read.rice(k)
		}
		if !read.overrun() {
			r.Fatal("it is not noticed that more is read than was written")
		}
	})
}

func TestLengthCodes(t *testing.T) {
	last := uint8(0)
	for n := uint32(0); n < 1<<31; n += 1 + n/50 {
		code := lengthCode(n)
		if least := lengthOf(code); least > n || n-least > n/8 || code < last || lengthCode(least) != code {
			t.Fatalf("%d has the code %d, which is %d", n, code, least)
		}
		last = code
	}
}

// drawPostings draws a list with runs and gaps.
func drawPostings(r *rapid.T, pieces uint32) []posting {
	var list []posting
	at := uint32(0)
	most := rapid.SampledFrom([]uint32{1, 3, 50, 5000}).Draw(r, "gap")
	count := rapid.IntRange(1, 700).Draw(r, "count")
	tfs := rapid.SliceOfN(rapid.Uint64Range(0, 1<<(8*index.Fields)-1), 5, 5).Draw(r, "tf")
	gaps := rapid.SliceOfN(rapid.Uint32Range(0, most-1), 8, 8).Draw(r, "gaps")
	for i := range count {
		if at += gaps[i%len(gaps)] * uint32(i%3); at >= pieces {
			break
		}
		tf := frequencies(tfs[i%len(tfs)])
		if i%2 == 0 || tf == 0 {
			tf = 1 << (8 * index.Body)
		}
		list = append(list, posting{at, tf})
		at++
	}
	return list
}

func TestPostings(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const pieces = 300_000
		list := drawPostings(r, pieces)
		data := appendPostings([]byte{}, list, pieces)
		var c cursor
		var got []posting
		for c.open(data, len(list), pieces); c.piece != end; c.next() {
			got = append(got, posting{c.piece, c.tf()})
		}
		if !slices.Equal(got, list) || c.bad {
			r.Fatalf("read %v, wrote %v", got, list)
		}
		c.open(data, len(list), pieces)
		for target := uint32(0); target < pieces; target += rapid.Uint32Range(0, 3000).Draw(r, "step") {
			c.seek(target)
			i := slices.IndexFunc(list, func(p posting) bool { return p.piece >= target })
			if i < 0 {
				if c.piece != end {
					r.Fatalf("behind the end is %d", c.piece)
				}
				break
			}
			if c.piece != list[i].piece || c.tf() != list[i].tf {
				r.Fatalf("seeking %d finds %d, and not %d", target, c.piece, list[i].piece)
			}
			if target++; rapid.Bool().Draw(r, "next") {
				target = max(target, c.piece+1)
				c.next()
			}
		}
	})
}

func TestLists(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.Uint32Range(1, 1<<20).Draw(r, "limit")
		list := slices.Sorted(maps.Keys(rapid.MapOf(rapid.Uint32Range(0, limit-1), rapid.Just(true)).Draw(r, "list")))
		got, ok := readList(nil, appendList(nil, list, limit), len(list), limit)
		if !ok || !slices.Equal(got, list) {
			r.Fatalf("read %v (%v), wrote %v", got, ok, list)
		}
		if _, ok := readList(nil, nil, 1, limit); ok {
			r.Fatal("a list is read of nothing")
		}
	})
}

// TestTables checks that tables return the added data in order.
func TestTables(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var p pool
		words, grams, current := wordTable{pool: &p}, trigramTable{}, newPieceWords()
		want := make(map[string][]posting)
		files := make(map[uint32][]uint32)
		for piece := range uint32(rapid.IntRange(1, 200).Draw(r, "pieces")) {
			seen := make(map[string]int)
			current.reset()
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 12).Draw(r, "words") {
				word, field := fmt.Sprint("w", n%17*n), n%int(index.Fields)
				current.add([]byte(word), field)
				if _, ok := seen[word]; !ok {
					seen[word] = len(want[word])
					want[word] = append(want[word], posting{piece: piece})
				}
				want[word][seen[word]].tf += 1 << (8 * field)
				if list := files[uint32(n)]; len(list) == 0 || list[len(list)-1] != piece {
					grams.add([]uint32{uint32(n)}, piece)
					files[uint32(n)] = append(list, piece)
				}
			}
			words.add(&current, piece)
		}
		var order []string
		words.each(func(word []byte, list []posting) {
			order = append(order, string(word))
			if !slices.Equal(list, want[string(word)]) {
				r.Fatalf("%s has %v, and not %v", word, list, want[string(word)])
			}
		})
		if !slices.Equal(order, slices.Sorted(maps.Keys(want))) {
			r.Fatalf("the words are %q", order)
		}
		n := 0
		grams.each(func(t uint32, list []uint32) {
			if n++; !slices.Equal(list, files[t]) {
				r.Fatalf("%d has %v, and not %v", t, list, files[t])
			}
		})
		if n != len(files) {
			r.Fatalf("%d of %d trigrams are there", n, len(files))
		}
	})
}

func TestSortPrints(t *testing.T) {
	for _, n := range []int{0, 1, 100, 1 << 15} {
		var list []uint64
		for i := range n {
			list = append(list, uint64(i*2654435761%(n/2+1)*99991)<<32&(1<<64-1)|uint64(i))
		}
		want := slices.Sorted(slices.Values(list))
		if sortPrints(list); !slices.Equal(list, want) {
			t.Errorf("%d prints are not in order", n)
		}
	}
}

func TestTrigrams(t *testing.T) {
	var set trigramSet
	for text, want := range map[string][]string{
		"": nil, "A": {"a\x00\x00"}, "aB": {"ab\x00", "b\x00\x00"}, "aaaA": {"a\x00\x00", "aa\x00", "aaa"}, "日": {"\x97\xa5\x00", "\xa5\x00\x00", "\xe6\x97\xa5"},
	} {
		var got []string
		for _, g := range set.of([]byte(text)) {
			got = append(got, string([]byte{byte(g >> 16), byte(g >> 8), byte(g)}))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
	if slices.ContainsFunc(set.seen, func(w uint64) bool { return w != 0 }) {
		t.Error("something is left of a text")
	}
}

// TestBlob compares reading by page with reading at once.
func TestBlob(t *testing.T) {
	content := make([]byte, 3*pageSize+77)
	for i := range content {
		content[i] = byte(i * i >> 3)
	}
	var out bytes.Buffer
	w := newPageWriter(&out)
	w.section(sectionPieces, content)
	size, sum, err := w.finish()
	if err != nil || size != int64(out.Len()) {
		t.Fatalf("%d bytes of %d: %v", size, out.Len(), err)
	}
	for _, whole := range []bool{true, false} {
		b, err := newBlob("x", bytes.NewReader(out.Bytes()), size, sum, whole)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct{ from, length int64 }{{0, 0}, {0, 10}, {pageSize - 12, 8}, {pageSize - 3, 70}, {5, 2*pageSize + 9}, {0, int64(len(content))}, {int64(len(content)), 0}} {
			got, err := b.view(sectionPieces, p.from, p.length)
			if err != nil || !bytes.Equal(got, content[p.from:p.from+p.length]) {
				t.Errorf("%d bytes from %d are others (%v)", p.length, p.from, err)
			}
		}
		for _, p := range []struct{ from, length int64 }{{-1, 2}, {0, -1}, {int64(len(content)), 1}, {1 << 62, 1 << 62}} {
			if _, err := b.view(sectionPieces, p.from, p.length); err == nil {
				t.Errorf("%d bytes from %d can be read", p.length, p.from)
			}
		}
	}
}
