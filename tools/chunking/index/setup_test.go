package index_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// toy parses a language of lines: "func f", "class C", which ends with "end",
// "method m", "import x", "call f", "error", and things that no parser should do:
// "panic", "nonsense". It takes them for Go, Python, C, C++ and Ruby.
type toy struct {
	version string
	parsing func(src []byte) // is told of every text
}

func (toy) Name() string      { return "toy" }
func (p toy) Version() string { return p.version }
func (toy) Languages() []source.Language {
	return []source.Language{source.Go, source.Python, source.C, source.CPP, source.Ruby}
}

func (p toy) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if p.parsing != nil {
		p.parsing(src)
	}
	b := source.NewBuilder(src, lang)
	at, class, callable := 0, -1, -1
	for line := range bytes.Lines(src) {
		word, name, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		ident := at + bytes.Index(line, name)
		c := source.Chunk{Name: string(name), Decl: int32(at), Ident: int32(ident), End: int32(at + len(bytes.TrimRight(line, "\n"))), Parent: int32(class)}
		switch string(word) {
		case "func":
			c.Kind = source.Function
			callable = b.Add(c)
		case "method":
			c.Kind = source.Method
			callable = b.Add(c)
		case "class":
			c.Kind, c.End = source.Class, 0
			class = b.Add(c)
		case "end":
			b.Close(class, at+len("end"))
			class = -1
		case "import":
			b.Import(string(name), at)
		case "call":
			if o.Calls {
				b.Call(string(name), at, callable)
			}
		case "error":
			b.Problem("an error", at)
		case "panic":
			panic("a parser that panics")
		case "nonsense":
			c.Kind, c.End = source.Function, int32(len(src)+1000)
			f := &source.File{Language: lang, Parser: "toy", Chunks: []source.Chunk{c}}
			return f, nil
		}
		at += len(line)
	}
	return b.File("toy"), nil
}

// project is a directory with sources.
type project struct {
	testing.TB
	dir     string
	root    *security.Root
	maxIdle int64 // of stores, unless 0
}

func newProject(t testing.TB, files map[string]string) *project {
	t.Helper()
	p := &project{TB: t, dir: t.TempDir()}
	for name, content := range files {
		p.write(name, content)
	}
	p.root = p.openDefault()
	return p
}

func (p *project) open(o security.RootOptions) *security.Root {
	p.Helper()
	o.StateDir = p.TempDir()
	root, err := security.OpenRoot(o)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { root.Close() })
	return root
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// write writes a file that was last changed long ago, at another time than the one
// before.
func (p *project) write(name, content string) {
	p.Helper()
	p.writeNow(name, content)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(p.path(name), old, old); err != nil {
		p.Fatal(err)
	}
}

func (p *project) writeNow(name, content string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(content), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *project) remove(name string) {
	p.Helper()
	if err := os.RemoveAll(p.path(name)); err != nil {
		p.Fatal(err)
	}
}

// store is the usual one.
func (p *project) store() *index.JSONStore {
	p.Helper()
	s, err := index.NewJSONStore(p.root, index.JSONOptions{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		p.Fatal(err)
	}
	if p.maxIdle > 0 {
		s.SetMaxIdle(p.maxIdle)
	}
	return s
}

// index opens an index that is closed at the end.
func (p *project) index(o index.Options) *index.Index {
	p.Helper()
	if o.Parsers == nil {
		o.Parsers = source.NewParsers(toy{})
	}
	x, err := index.Open(p.Context(), p.root, o)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { p.close(x) })
	return x
}

func (p *project) close(x *index.Index) {
	p.Helper()
	if err := x.Close(context.Background()); err != nil {
		p.Error(err)
	}
}

func (p *project) analyze(x *index.Index, dir string, o index.AnalyzeOptions) index.Report {
	p.Helper()
	report, err := x.Analyze(p.Context(), dir, o, nil)
	if err != nil {
		p.Fatal(err)
	}
	return report
}

func (p *project) update(x *index.Index, paths ...string) index.Report {
	p.Helper()
	report, err := x.Update(p.Context(), paths...)
	if err != nil {
		p.Fatal(err)
	}
	return report
}

// fact is the content of a File without the origin of the data.
type fact struct {
	Path   string
	Hash   [32]byte
	Size   int64
	Parsed source.File
}

func facts(x *index.Index) []fact {
	all := []fact{}
	for _, f := range x.Snapshot().Files() {
		all = append(all, factOf(f))
	}
	return all
}

func factOf(f *index.File) fact {
	found, err := f.Parsed()
	if err != nil {
		return fact{Path: f.Path, Size: -1, Parsed: source.File{Parser: err.Error()}}
	}
	parsed := *found
	if len(parsed.Chunks) == 0 {
		parsed.Chunks = nil
	}
	return fact{f.Path, f.Hash, f.Size, parsed}
}

// same fails unless two indexes know the same.
func (p *project) same(x, other *index.Index) {
	p.Helper()
	if diff := cmp.Diff(facts(other), facts(x)); diff != "" {
		p.Fatal("the index is not as it should be:\n" + diff)
	}
}

// fresh returns a new index in memory.
func (p *project) fresh(o index.Options) *index.Index {
	p.Helper()
	o.Store = nil
	x := p.index(o)
	p.analyze(x, ".", index.AnalyzeOptions{})
	return x
}

// counts are the members of a Report that count files.
func counts(r index.Report) [6]int {
	return [6]int{r.Files, r.Parsed, r.Unchanged, r.Removed, r.Skipped, r.Failed}
}

// paths returns the paths of all files.
func paths(x *index.Index) []string {
	all := []string{}
	for _, f := range x.Snapshot().Files() {
		all = append(all, f.Path)
	}
	return all
}

// toys are the parsers that index takes by itself.
func (*project) toys() *source.Parsers { return source.NewParsers(toy{}) }

// openDefault is the Root of the project's directory.
func (p *project) openDefault() *security.Root {
	p.Helper()
	return p.open(security.RootOptions{Dirs: []string{p.dir}})
}

// whole is all that a parser found in a file.
func whole(t testing.TB, f *index.File) *source.File {
	t.Helper()
	parsed, err := f.Parsed()
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// text is a file as JSON.
func text(t testing.TB, f *index.File) []byte {
	t.Helper()
	data, err := f.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
