package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// spoil damages the saved detail of a file after it was loaded.
func (p *project) spoil(name string) {
	p.Helper()
	whole := p.read(data + "/" + index.LogName)
	at := bytes.Index(whole, []byte(`"path":"`+name+`"`))
	if at < 0 {
		p.Fatalf("the log lacks %q", name)
	}
	whole[at+bytes.Index(whole[at:], []byte(`"detail":"`))+14] ^= 0x01
	f, err := os.OpenFile(p.log(), os.O_WRONLY, 0)
	if err != nil {
		p.Fatal(err)
	}
	_, err = f.WriteAt(whole, 0)
	if err := errors.Join(err, f.Close()); err != nil {
		p.Fatal(err)
	}
}

func find(t testing.TB, x *index.Index, text string) index.Hit {
	t.Helper()
	hits, _ := x.Snapshot().Search(index.Query{Text: text})
	if len(hits) != 1 {
		t.Fatalf("%s is found as %q", text, show(hits))
	}
	return hits[0]
}

// TestParsed_DamagedDetail checks that a damaged detail is parsed again from the source
// and saved.
func TestParsed_DamagedDetail(t *testing.T) {
	for name, ask := range map[string]func(p *project, x *index.Index) *index.File{
		"a hit": func(p *project, x *index.Index) *index.File { return find(p, x, "C.m").File },
		"a file": func(p *project, x *index.Index) *index.File {
			f, _ := x.Lookup("a.go")
			return f
		},
		"fresh": func(p *project, x *index.Index) *index.File {
			f, _, err := x.ReadFile(p.Context(), "a.go", "")
			if err != nil {
				p.Fatal(err)
			}
			return f
		},
		"time alone has changed": func(p *project, x *index.Index) *index.File {
			p.write("a.go", sources["a.go"])
			if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Parsed != 0 {
				p.Errorf("%+v", report)
			}
			f, _ := x.Lookup("a.go")
			return f
		},
		"forced": func(p *project, x *index.Index) *index.File {
			p.analyze(x, ".", index.AnalyzeOptions{Force: true})
			f, _ := x.Lookup("a.go")
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := stored(t)
			x := p.again()
			p.spoil("a.go")
			if n := x.Snapshot().Len(); n != len(sources) {
				t.Fatalf("%d files were loaded", n)
			}
			f := ask(&project{TB: t, dir: p.dir, root: p.root}, x)
			if whole(t, f).Chunks[2].Signature != "method m" || f.ID(2) != "a.go#C.m" {
				t.Errorf("%+v", whole(t, f).Chunks)
			}
			want := p.fresh(index.Options{Calls: true})
			p.same(x, want)
			p.close(x)
			y := p.again()
			if f, _ := y.Lookup("a.go"); f.Checked() != nil {
				t.Error("what is damaged was not saved again")
			}
			p.same(y, want)
		})
	}
}

// Where the source has changed too, there is an error until the index learns of it.
func TestStore_DamagedDetailOfChangedFile(t *testing.T) {
	p := stored(t)
	x := p.again()
	p.spoil("a.go")
	hit := find(t, x, "C.m")
	p.write("a.go", "func other\n")
	if parsed, err := hit.File.Parsed(); err == nil {
		t.Errorf("%+v", parsed)
	}
	if c := hit.File.Symbol(hit.Chunk); c.Name != "m" || hit.File.ID(hit.Chunk) != "a.go#C.m" {
		t.Errorf("what is known at once has changed: %+v", c)
	}
	p.remove("a.go")
	if parsed, err := hit.File.Parsed(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%+v, %v", parsed, err)
	}
	p.analyze(x, ".", index.AnalyzeOptions{})
	p.same(x, p.fresh(index.Options{Calls: true}))
}

// TestLog_Truncated shortens the log while it is in use.
func TestLog_Truncated(t *testing.T) {
	p := stored(t)
	x := p.again()
	if err := os.Truncate(p.log(), 100); err != nil {
		t.Fatal(err)
	}
	p.same(x, p.fresh(index.Options{Calls: true}))
	p.close(x)
	y := p.again()
	p.analyze(y, ".", index.AnalyzeOptions{})
	p.same(y, p.fresh(index.Options{Calls: true}))
}

// TestLog_Replaced replaces the log while files that were loaded from it are in use.
func TestLog_Replaced(t *testing.T) {
	p := stored(t)
	x := p.again()
	want := p.fresh(index.Options{Calls: true})
	if err := os.Remove(p.log()); err != nil {
		t.Skip("what is open cannot be removed here: ", err)
	}
	p.writeNow(data+"/"+index.LogName, "something else")
	p.same(x, want)
}

// TestParsed_AfterClose checks the error for details that were not loaded before Close.
func TestParsed_AfterClose(t *testing.T) {
	p := stored(t)
	x := p.again()
	before, _ := x.Lookup("a.go")
	held := whole(t, before)
	after, _ := x.Lookup("src/b.go")
	p.close(x)
	if len(held.Chunks) != 3 {
		t.Errorf("%+v", held)
	}
	if parsed, err := after.Parsed(); !errors.Is(err, index.ErrClosed) {
		t.Errorf("%+v, %v", parsed, err)
	}
	if after.Symbol(0).Name != "b" {
		t.Error("names are gone")
	}
	if _, err := new(index.File).Parsed(); err == nil {
		t.Error("nothing was parsed")
	}
	if got, want := paths(x), paths(p.again()); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestParsed_Concurrent loads damaged and valid details concurrently.
func TestParsed_Concurrent(t *testing.T) {
	p := stored(t)
	x := p.again()
	p.spoil("a.go")
	files := x.Snapshot().Files()
	var asking group.Group
	wrong := make(chan error, 16*len(files))
	for range 16 {
		asking.Go(func() {
			for _, f := range files {
				if parsed, err := f.Parsed(); err != nil || len(parsed.Chunks) != f.Len() {
					wrong <- fmt.Errorf("%s: %w", f.Path, err)
				}
			}
		})
	}
	asking.Wait()
	close(wrong)
	for err := range wrong {
		t.Error(err)
	}
	p.same(x, p.fresh(index.Options{Calls: true}))
}
