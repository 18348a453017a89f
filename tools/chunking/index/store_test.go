package index_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/index/storetest"
	"github.com/dougu-go/dougu/tools/source"
)

var sources = map[string]string{
	"a.go": "import \"os\"\nfunc a\nclass C\nmethod m\ncall x\nend\nerror\n", "src/b.go": "func b\n", "src/deep/c.py": "import os\nfunc c\nfunc \xff\n", "empty.go": "", "über.go": "func ü\n",
}

const data = index.DefaultDir

func (p *project) journal() string { return p.path(data + "/" + index.JournalName) }

func (p *project) read(name string) []byte {
	p.Helper()
	content, err := os.ReadFile(p.path(name))
	if err != nil {
		p.Fatal(err)
	}
	return content
}

// line is the last one that the log has for a source file.
func (p *project) line(src string) (last string) {
	p.Helper()
	for line := range bytes.Lines(p.read(data + "/" + index.LogName)) {
		var said struct{ Path string }
		if err := json.Unmarshal(line, &said); err != nil {
			p.Errorf("%s: %v", line, err)
		}
		if said.Path == src {
			last = string(line)
		}
	}
	return last
}

// stored is a project whose index was saved.
func stored(t testing.TB) *project {
	p := newProject(t, sources)
	x := p.index(index.Options{Store: p.store(), Calls: true})
	if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.NotSaved != "" || report.Parsed != len(sources) {
		t.Fatalf("%+v", report)
	}
	p.close(x)
	return p
}

// again opens the index that was saved.
func (p *project) again() *index.Index {
	p.Helper()
	return p.index(index.Options{Store: p.store(), Calls: true})
}

func TestJSONStore_Contract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		p := newProject(t, nil)
		return func() index.Store { return p.store() }
	})
}

func TestJSONStore_RoundTrip(t *testing.T) {
	p := stored(t)
	x := p.again()
	p.same(x, p.fresh(index.Options{Calls: true}))
	if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Unchanged != len(sources) {
		t.Errorf("%+v", report)
	}
	if got := p.read(data + "/.gitignore"); !strings.HasSuffix(string(got), "\n/.gitignore\n/chunks.jsonl\n/index.bin\n/lock\n/.tmp-*\n") {
		t.Errorf(".gitignore holds %q", got)
	}
	text := p.line("a.go")
	for _, want := range []string{`"path":"a.go"`, `"kind":"method","name":"m"`, `"signature":"method m"`, `"imports":[`, `"calls":[`, `"message":"an error"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the JSON lacks %s:\n%s", want, text)
		}
	}
	p.remove("src")
	p.update(x, "src")
	p.close(x)
	if text := p.line("src/b.go"); text != `{"version":4,"path":"src/b.go","removed":true}`+"\n" {
		t.Errorf("the JSON of a removed file: %s", text)
	}
	p.same(p.again(), p.fresh(index.Options{Calls: true}))
}

// TestOpen_OtherParsers checks that results of other parser versions or options are
// ignored.
func TestOpen_OtherParsers(t *testing.T) {
	p := stored(t)
	for name, o := range map[string]index.Options{
		"version": {Calls: true, Parsers: source.NewParsers(toy{version: "2"})},
		"calls":   {},
	} {
		o.Store = p.store()
		x := p.index(o)
		if n := x.Snapshot().Len(); n != 0 {
			t.Errorf("%s: %d files were loaded", name, n)
		}
		p.analyze(x, ".", index.AnalyzeOptions{})
		o.Store = nil
		p.same(x, p.fresh(o))
		p.close(x)
		y := p.again() // of the first parsers: all of it is forgotten
		p.close(y)
		if files, err := p.store().Load(p.Context()); err != nil || len(files) != 0 {
			t.Errorf("%s: %d files are kept: %v", name, len(files), err)
		}
	}
}

// TestJSONStore_RebuildJournal checks that the log replaces a missing or damaged
// journal.
func TestJSONStore_RebuildJournal(t *testing.T) {
	p := stored(t)
	whole := p.read(data + "/" + index.JournalName)
	damages := map[string]func() []byte{
		"missing":  func() []byte { return nil },
		"empty":    func() []byte { return []byte{} },
		"header":   func() []byte { return append([]byte("x"), whole...) },
		"checksum": func() []byte { b := bytes.Clone(whole); b[len(b)/2] ^= 1; return b },
		"foreign":  func() []byte { return bytes.Repeat([]byte("no journal\n"), 1000) },
	}
	for name, damage := range damages {
		content := damage()
		p.remove(data + "/" + index.JournalName)
		if content != nil {
			p.writeNow(data+"/"+index.JournalName, string(content))
		}
		x := p.again()
		if got := x.Snapshot().Len(); got != len(sources) {
			t.Errorf("%s: %d files were loaded from JSON", name, got)
		}
		p.analyze(x, ".", index.AnalyzeOptions{})
		p.same(x, p.fresh(index.Options{Calls: true}))
		p.close(x)
		p.same(p.again(), p.fresh(index.Options{Calls: true}))
	}
}

// Whatever byte of the journal is wrong, nothing wrong comes out.
func TestDamagedJournal(t *testing.T) {
	p := stored(t)
	whole := p.read(data + "/" + index.JournalName)
	want := p.fresh(index.Options{Calls: true})
	for at := 0; at < len(whole); at += 1 + len(whole)/60 {
		for _, damaged := range [][]byte{append(append(bytes.Clone(whole[:at]), whole[at]^0x55), whole[at+1:]...), whole[:at], append(bytes.Clone(whole), whole[at:]...)} {
			p.writeNow(data+"/"+index.JournalName, string(damaged))
			x := p.again()
			p.analyze(x, ".", index.AnalyzeOptions{})
			p.same(x, want)
			p.close(x)
		}
	}
}

func TestStore_DamagedJSON(t *testing.T) {
	p := stored(t)
	name := data + "/" + index.LogName
	whole, text := string(p.read(name)), p.line("a.go")
	for _, damaged := range []string{"\n", "{\n", "null\n", text[:len(text)/2], text[:len(text)/2] + "\n", strings.Replace(text, `"end":`, `"end":9`, 1), strings.Replace(text, `"parent":1`, `"parent":7`, 1),
		strings.Replace(text, `"a.go"`, `"other.go"`, 1), strings.Replace(text, `"version":4`, `"version":3`, 1), strings.Replace(text, `"startLine":2`, `"startLine":-2`, 1)} {
		if damaged == text {
			t.Fatal("nothing is damaged")
		}
		p.remove(data + "/" + index.JournalName)
		p.writeNow(name, strings.Replace(whole, text, "", 1)+damaged)
		x := p.again()
		want := len(sources) - 1
		if strings.Contains(damaged, "other") {
			want++
		}
		if _, ok := x.Lookup("a.go"); ok || x.Snapshot().Len() != want {
			t.Errorf("%q was loaded", damaged)
		}
		p.analyze(x, ".", index.AnalyzeOptions{})
		p.same(x, p.fresh(index.Options{Calls: true}))
		p.close(x)
		p.same(p.again(), p.fresh(index.Options{Calls: true}))
	}
}

// TestJSONStore_RebuildLog checks that the next save writes a missing log from the
// journal.
func TestJSONStore_RebuildLog(t *testing.T) {
	p := stored(t)
	p.remove(data + "/" + index.LogName)
	x := p.again()
	p.write("src/b.go", "func b2\n")
	p.update(x, "src/b.go")
	p.close(x)
	p.remove(data + "/" + index.JournalName)
	y := p.again()
	if n := y.Snapshot().Len(); n != len(sources) {
		t.Errorf("%d files were loaded from JSON", n)
	}
	if f, ok := y.Lookup("src/b.go"); !ok || f.Symbol(0).Name != "b2" {
		t.Error("the change was lost")
	}
}

// TestAnalyze_ForcedUnchanged checks that equal results are not saved again while the
// store is intact.
func TestAnalyze_ForcedUnchanged(t *testing.T) {
	p := stored(t)
	x := p.again()
	before := p.tree()
	if report := p.analyze(x, ".", index.AnalyzeOptions{Force: true}); report.Parsed != len(sources) || report.NotSaved != "" {
		t.Errorf("%+v", report)
	}
	if after := p.tree(); !slices.Equal(before, after) {
		t.Errorf("files were written: %v, before %v", after, before)
	}
	for _, name := range []string{index.LogName, index.JournalName} {
		p.remove(data + "/" + name)
		p.analyze(x, ".", index.AnalyzeOptions{Force: true})
		if _, err := os.Stat(p.path(data + "/" + name)); err != nil {
			t.Error(err)
		}
	}
	p.close(x)
	p.same(p.again(), p.fresh(index.Options{Calls: true}))
}

// TestJSONStore_OlderVersion checks that only files of an older version are removed.
func TestJSONStore_OlderVersion(t *testing.T) {
	p := stored(t)
	old := p.read(data + "/" + index.JournalName)
	old[15] = 2
	p.writeNow(data+"/"+index.JournalName, string(old))
	p.remove(data + "/" + index.LogName)
	p.writeNow(data+"/0/0123456789abcdef-a.go.json", `{"version":2,"path":"a.go"}`)
	p.writeNow(data+"/f/f123456789abcdef-b.go.json", `{"version":2,"path":"src/b.go"}`)
	p.writeNow(data+"/f/mine.txt", "x")
	x := p.again()
	if n := x.Snapshot().Len(); n != 0 {
		t.Errorf("%d files of another version were loaded", n)
	}
	if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Parsed != len(sources) {
		t.Errorf("%+v", report)
	}
	p.close(x)
	if left, err := filepath.Glob(p.path(data + "/?/*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != "mine.txt" {
		t.Errorf("left are %v: %v", left, err)
	}
	p.same(p.again(), p.fresh(index.Options{Calls: true}))
}

// A journal that is mostly of no use is written anew.
func TestJSONStore_Compaction(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	p.maxIdle = 256 << 10
	x := p.index(index.Options{Store: p.store()})
	p.analyze(x, ".", index.AnalyzeOptions{})
	size := func() (sizes [2]int64) {
		for i, name := range []string{index.JournalName, index.LogName} {
			info, err := os.Stat(p.path(data + "/" + name))
			if err != nil {
				t.Fatal(err)
			}
			sizes[i] = info.Size()
		}
		return sizes
	}
	var largest [2]int64
	var shrunk [2]bool // to half of its size
	look := func() {
		for i, now := range size() {
			largest[i] = max(largest[i], now)
			shrunk[i] = shrunk[i] || now <= largest[i]/2
		}
	}
	for i := range 60 {
		p.write("big.go", strings.Repeat(fmt.Sprintf("func f%d\n", i), 250))
		p.update(x, "big.go")
		look()
	}
	p.close(x) // which waits for what is done beside
	if look(); shrunk != [2]bool{true, true} {
		t.Errorf("journal and log have %d bytes, had %d, and were halved: %v", size(), largest, shrunk)
	}
	p.same(p.index(index.Options{Store: p.store()}), p.fresh(index.Options{}))
	p.remove(data + "/" + index.JournalName)
	p.same(p.index(index.Options{Store: p.store()}), p.fresh(index.Options{}))
}

// Two processes share a directory: both save, and nothing is damaged.
func TestJSONStore_TwoProcesses(t *testing.T) {
	p := newProject(t, sources)
	x, y := p.again(), p.again()
	p.analyze(x, ".", index.AnalyzeOptions{})
	p.write("src/b.go", "func b2\n")
	p.write("y.go", "func y\n")
	p.analyze(y, ".", index.AnalyzeOptions{})
	p.write("x.go", "func x\n")
	p.update(x, "x.go")
	p.remove("y.go")
	p.update(y, "y.go", "x.go")
	p.close(x)
	p.close(y)
	p.same(p.again(), p.fresh(index.Options{Calls: true}))
}

func TestStore_LockedByOtherProcess(t *testing.T) {
	p := stored(t)
	lock, err := os.OpenFile(p.path(data+"/"+index.LockName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if got, err := rootfs.TryLock(lock); !got || err != nil {
		t.Fatal(got, err)
	}
	x := p.again()
	p.write("a.go", "func a2\n")
	saved := make(chan index.Report, 1)
	p.runs(func() { saved <- p.update(x, "a.go") })
	waittest.Until(t, "the index knows it though it is not saved", func() bool {
		f, ok := x.Lookup("a.go")
		return ok && f.Symbol(0).Name == "a2"
	})
	lock.Close()
	if report := <-saved; report.NotSaved != "" {
		t.Errorf("%+v", report)
	}
}

// TestJSONStore_DirectoryRemoved removes the directory during use.
func TestJSONStore_DirectoryRemoved(t *testing.T) {
	p := stored(t)
	x := p.again()
	p.remove("data")
	p.write("a.go", "func a2\n")
	if report := p.update(x, "a.go"); report.NotSaved != "" {
		t.Errorf("%+v", report)
	}
	p.close(x)
	y := p.again()
	if f, ok := y.Lookup("a.go"); !ok || f.Symbol(0).Name != "a2" {
		t.Error("what was saved afterwards is lost")
	}
	p.analyze(y, ".", index.AnalyzeOptions{})
	p.same(y, p.fresh(index.Options{Calls: true}))
}

func TestStore_ReadOnlyRoot(t *testing.T) {
	p := stored(t)
	before := p.tree()
	p.root = p.open(security.RootOptions{Dirs: []string{p.dir}, ReadOnly: true})
	x := p.again()
	if x.Snapshot().Len() != len(sources) {
		t.Error("what was saved before is not used")
	}
	p.write("a.go", "func a2\n")
	report := p.analyze(x, ".", index.AnalyzeOptions{})
	if report.NotSaved == "" || report.Parsed != 1 {
		t.Errorf("%+v", report)
	}
	p.close(x)
	if after := p.tree(); !slices.Equal(before, after) {
		t.Errorf("files were written: %v, before %v", after, before)
	}
	p.remove("data")
	p.close(p.again())
	if _, err := os.Stat(p.path("data")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
}

// tree lists the directory of the store with sizes.
func (p *project) tree() (all []string) {
	_ = filepath.WalkDir(p.path("data"), func(name string, e fs.DirEntry, err error) error {
		if info, e := e.Info(); err == nil && e == nil {
			all = append(all, fmt.Sprint(name, " ", info.Size(), " ", info.ModTime()))
		}
		return nil
	})
	return all
}
