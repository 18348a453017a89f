package segment

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/dougu-go/dougu/tools/search/index"
)

// fixChecksums corrects the checksums of a changed segment, and returns the checksum of the
// trailer.
func fixChecksums(data []byte) uint32 {
	if len(data) < footerSize {
		return 0
	}
	foot := data[len(data)-footerSize:]
	begin := binary.LittleEndian.Uint64(foot)
	if begin > uint64(len(data)-footerSize) {
		return 0
	}
	trailer := data[begin : len(data)-footerSize]
	sums := trailer[min(len(trailer), int(sections)*placeSize):]
	for at := 0; at < int(begin) && len(sums) >= 4; at += pageSize {
		binary.LittleEndian.PutUint32(sums, crc32.Checksum(data[at:min(at+pageSize, int(begin))], castagnoli))
		sums = sums[4:]
	}
	sum := crc32.Checksum(trailer, castagnoli)
	binary.LittleEndian.PutUint32(foot[12:], sum)
	return sum
}

// smallSegment returns a segment with data in all sections.
func smallSegment(t testing.TB) []byte {
	b := newBuilder()
	text := []byte("func Push(v int) { list = append(list, v) }\n日本語の検索 words words")
	for i, path := range []string{"a.go", "b.go", "c/d.md"} {
		f := index.File{Path: path, Language: "go", Version: "1", Text: text, Verbatim: i != 1}
		for p := range 60 {
			prints := []uint32{uint32(p), 1 << 20}
			if p == 3 {
				prints = append(prints, math.MaxUint32)
			}
			f.Pieces = append(f.Pieces, index.Piece{
				Kind: "function", Name: "Push", Container: "Stack", Signature: "func Push(v int)", Range: index.Span{End: int32(len(text))},
				Own: []index.Span{{Start: 0, End: 10}, {Start: int32(p % 20), End: int32(len(text))}}, Doc: index.Span{Start: 3, End: 9}, StartLine: 1, EndLine: 2, Prints: prints,
			})
		}
		b.add(&f)
	}
	var out bytes.Buffer
	if _, _, err := b.write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// hammer runs all queries on a segment. Results may be wrong, but no query may panic or
// take long.
func hammer(ctx context.Context, data []byte, sum uint32, whole bool) {
	b, err := newBlob("fuzz", bytes.NewReader(data), int64(len(data)), sum, whole)
	if err != nil {
		return
	}
	seg, err := openSegment(b)
	if err != nil {
		return
	}
	seg.closed = func() {}
	ix := NewMemory()
	defer ix.Close(ctx)
	s := newState(1, 2, ix.current.changed, []*live{{segment: seg}})
	for _, words := range [][]string{{"push"}, {"words", "list"}, {"p*", "日*"}, {"a*", "b*", "c*", "d*", "f*", "l*"}} {
		for _, required := range []bool{false, true} {
			_, _ = ix.search(ctx, s, &index.Query{Terms: []index.Term{{Words: words, Required: required}, {Words: []string{"append"}}}, Limit: 3})
		}
	}
	_, _ = s.similar(ctx, &index.Likeness{Prints: []uint32{0, 3, 59, 1 << 20, math.MaxUint32}})
	_, _ = s.candidates(ctx, &index.Literals{Literal: "append", All: []index.Literals{{Literal: "検"}, {Literal: "wo"}}}, &index.Filter{})
	for file := range seg.rows {
		r := seg.rows[file]
		numbers := make([]uint32, r.count)
		for i := range numbers {
			numbers[i] = r.first + uint32(i)
		}
		_, _ = seg.piecesOf(&r, numbers)
	}
	m := merger{ctx: ctx}
	m.number([]*live{{segment: seg}, {segment: seg}})
	_, _, _ = m.write(&bytes.Buffer{})
}

// FuzzSegment changes a segment and corrects its checksums.
func FuzzSegment(f *testing.F) {
	data := smallSegment(f)
	for at := range uint32(40) {
		f.Add(at*uint32(len(data))/40, byte(at), uint16(at*77), byte(1), uint32(0), []byte{})
	}
	f.Fuzz(func(t *testing.T, at uint32, value byte, at2 uint16, value2 byte, from uint32, insert []byte) {
		changed := bytes.Clone(data)
		changed[int(at)%len(changed)] ^= value
		changed[int(at2)%len(changed)] ^= value2
		copy(changed[int(from)%len(changed):], insert)
		hammer(t.Context(), changed, fixChecksums(changed), value&1 == 0)
	})
}

// FuzzManifest decodes arbitrary manifests and encodes them again.
func FuzzManifest(f *testing.F) {
	good := newState(3, 9, NewMemory().current.changed, nil).manifest()
	f.Add(good[:len(good)-4])
	f.Add([]byte(manifestMagic + "\x01\x02\x00\x00\x01\x05\x90\x01\x07\x03\x01\x01\x01\x01\x02\x04\x06\x08"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = readManifest(data)
		data = binary.LittleEndian.AppendUint32(bytes.Clone(data), crc32.Checksum(data, castagnoli))
		m, what := readManifest(data)
		for _, s := range m.segments {
			if what != "" || len(s.dead) > int(s.files) {
				t.Errorf("a segment of %d files has %d deleted ones", s.files, len(s.dead))
			}
			for file := range s.touched {
				if file >= s.files {
					t.Errorf("file %d of %d is touched", file, s.files)
				}
			}
		}
	})
}
