package index_test

import (
	"bytes"
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
		if err := read.Check(); err != nil {
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
		use(&read)
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, one := range seeds(f) {
		f.Add(one.AppendJSON(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := index.ParseJSON(data)
		if err != nil {
			return
		}
		if err := read.Check(); err != nil {
			t.Fatal(err)
		}
		again, err := index.ParseJSON(read.AppendJSON(nil))
		if err != nil {
			t.Fatalf("%v\n%s", err, read.AppendJSON(nil))
		}
		if diff := cmp.Diff(factOf(read), factOf(again)); diff != "" {
			t.Error(diff)
		}
		use(read)
	})
}

func FuzzJournal(f *testing.F) {
	journal := seedJournal(f)
	f.Add(journal)
	f.Add(journal[:len(journal)/2])
	f.Add(append(bytes.Clone(journal), journal[16:]...))
	f.Add(journal[24:])
	f.Add(append(bytes.Clone(journal[24:]), journal[25:]...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.HasPrefix(data, journal[:16]) {
			data = index.Journal(data) // no mutation finds a checksum
		}
		files, err := index.DecodeJournal(data)
		if err != nil {
			return
		}
		for _, one := range files {
			if err := one.Check(); err != nil {
				t.Fatal(err)
			}
			use(one)
		}
		small, err := index.Compacted(data)
		if err != nil {
			t.Fatal("what can be read cannot be compacted: ", err)
		}
		again, err := index.DecodeJournal(small)
		if err != nil || len(again) > len(files) {
			t.Fatalf("%d files became %d: %v", len(files), len(again), err)
		}
	})
}

// use does with a file what callers do.
func use(f *index.File) {
	source := make([]byte, f.Size)
	for i := range f.Chunks {
		c := &f.Chunks[i]
		_, _, _ = source[c.Start:c.End], source[c.Doc:c.DocEnd], source[c.Sig:max(c.Body, c.Sig)]
		_ = f.ID(i)
		for at := c.Parent; at >= 0; at = f.Chunks[at].Parent {
			_ = f.Chunks[at].Name
		}
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

func seedJournal(f *testing.F) []byte {
	return stored(f).read(data + "/" + index.JournalName)
}
