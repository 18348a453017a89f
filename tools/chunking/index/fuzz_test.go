package index_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// A file that is read in binary form cannot be wrong, and is written as it was
// read.
func FuzzUnmarshalBinary(f *testing.F) {
	for _, one := range seeds(f) {
		data, _ := one.AppendBinary(nil)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var read index.File
		if read.UnmarshalBinary(data) != nil {
			return
		}
		if err := read.Checked(); err != nil {
			t.Fatal(err)
		}
		written, _ := read.AppendBinary(nil)
		var again index.File
		if err := again.UnmarshalBinary(written); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(factOf(&read), factOf(&again)); diff != "" || !read.ModTime.Equal(again.ModTime) {
			t.Error(diff)
		}
		use(t, &read)
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, one := range seeds(f) {
		f.Add(text(f, one))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := index.ParseJSON(data)
		if err != nil {
			return
		}
		if err := read.Checked(); err != nil {
			t.Fatal(err)
		}
		again, err := index.ParseJSON(text(t, read))
		if err != nil {
			t.Fatalf("%v\n%s", err, text(t, read))
		}
		if diff := cmp.Diff(factOf(read), factOf(again)); diff != "" {
			t.Error(diff)
		}
		use(t, read)
	})
}

func FuzzJournal(f *testing.F) {
	journal := seedJournal(f)
	heads, details := parts(journal)
	f.Add(journal, []byte{})
	f.Add(journal[:len(journal)/2], []byte{})
	f.Add(append(bytes.Clone(journal), journal[16:]...), []byte{})
	f.Add(heads, details)
	f.Add(append(bytes.Clone(heads), heads[1:]...), details)
	f.Add(append(bytes.Clone(heads), heads[4:]...), append(bytes.Clone(details), details...))
	f.Fuzz(func(t *testing.T, data, details []byte) {
		if !bytes.HasPrefix(data, journal[:16]) {
			data = index.Journal(data, details) // no mutation finds a checksum
		}
		files, err := index.DecodeJournal(data)
		if err != nil {
			return
		}
		useAll(t, files)
		small, err := index.Compacted(data)
		if err != nil && !slices.ContainsFunc(files, func(one *index.File) bool { return one.Checked() != nil }) {
			t.Fatal("what can be read cannot be compacted: ", err)
		}
		if err != nil {
			return
		}
		again, err := index.DecodeJournal(small)
		if err != nil || len(again) > len(files) {
			t.Fatalf("%d files became %d: %v", len(files), len(again), err)
		}
	})
}

// parts are the heads and the details of a journal with one frame.
func parts(journal []byte) (heads, details []byte) {
	const header, frame = 16, 12
	n := binary.LittleEndian.Uint32(journal[header+4:])
	return journal[header+frame:][:n], journal[header+frame+n:]
}

// Whatever a byte of the journal is, with checksums that are right, nothing that
// cannot be comes out.
func TestWrongJournal(t *testing.T) {
	heads, details := parts(seedJournal(t))
	for _, part := range [][]byte{heads, details} {
		for at := range part {
			was := part[at]
			for _, wrong := range []byte{0, was - 1, was + 1, was ^ 0x80, 0xff} {
				part[at] = wrong
				if files, err := index.DecodeJournal(index.Journal(heads, details)); err == nil {
					useAll(t, files)
				}
			}
			part[at] = was
		}
	}
}

// useAll exercises all methods of files.
func useAll(t *testing.T, files []*index.File) {
	for _, one := range files {
		known(one)
		if _, err := one.Parsed(); err != nil {
			continue // it is read from its source
		}
		if err := one.Checked(); err != nil {
			t.Fatal(err)
		}
		use(t, one)
	}
}

// use exercises all methods of a file.
func use(t *testing.T, f *index.File) {
	source := make([]byte, f.TextSize())
	chunks := whole(t, f).Chunks
	for i := range chunks {
		c := &chunks[i]
		_, _, _ = source[c.Start:c.End], source[c.Doc:c.DocEnd], source[c.Sig:max(c.Body, c.Sig)]
		if s := f.Symbol(i); s.Kind != c.Kind || s.Path() != c.Path() || f.ID(i) == "" {
			t.Errorf("%s is known as %s", c.Path(), s.Path())
		}
		for at := c.Parent; at >= 0; at = chunks[at].Parent {
			_ = chunks[at].Name
		}
	}
}

// known exercises the search data of a file.
func known(f *index.File) {
	s := index.SnapshotOf(f)
	for i := range f.Len() {
		c := f.Symbol(i)
		s.Search(index.Query{Text: c.Path()})
		_, _, _ = s.Find(f.ID(i))
	}
}

// seeds are files as they are saved.
func seeds(f *testing.F) []*index.File {
	files, err := index.DecodeJournal(seedJournal(f))
	if err != nil || len(files) != len(sources) {
		f.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

func seedJournal(t testing.TB) []byte {
	return stored(t).read(data + "/" + index.JournalName)
}
