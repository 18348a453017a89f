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

func FuzzLog(f *testing.F) {
	log := seedLog(f)
	f.Add(log, false)
	f.Add(log[:len(log)/2], false)
	f.Add(append(bytes.Clone(log), log...), false)
	for line := range bytes.Lines(log) {
		f.Add(index.LineText(line), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, isText bool) {
		if isText {
			data = index.SumLine(data) // no mutation finds a checksum
		}
		files, _ := index.DecodeLog(data)
		useAll(t, files)
		again, damaged := index.DecodeLog(index.Compacted(data))
		if damaged > 0 && len(again) < len(files) || len(again) != len(files) {
			t.Fatalf("%d files became %d with %d damaged lines", len(files), len(again), damaged)
		}
	})
}

// TestLog_WrongByte changes single bytes of lines, with right checksums: no result is invalid.
func TestLog_WrongByte(t *testing.T) {
	for line := range bytes.Lines(seedLog(t)) {
		text := index.LineText(line)
		for at := range text {
			was := text[at]
			for _, wrong := range []byte{'0', '9', '"', '}', was + 1, was ^ 0x80} {
				text[at] = wrong
				files, _ := index.DecodeLog(index.SumLine(text))
				useAll(t, files)
			}
			text[at] = was
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
	files, damaged := index.DecodeLog(seedLog(f))
	if damaged > 0 || len(files) != len(sources) {
		f.Fatalf("%d files, %d damaged lines", len(files), damaged)
	}
	return files
}

func seedLog(t testing.TB) []byte {
	return stored(t).read(data + "/" + index.LogName)
}
