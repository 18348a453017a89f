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
	"time"

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

func (p *project) log() string { return p.path(data + "/" + index.LogName) }

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
	if got := p.read(data + "/.gitignore"); !strings.HasSuffix(string(got), "\n/.gitignore\n/chunks.jsonl\n/lock\n/.tmp-*\n") {
		t.Errorf(".gitignore holds %q", got)
	}
	text := p.line("a.go")
	for _, want := range []string{`"path":"a.go"`, `{"kind":"function","names":["a"]}`, `{"kind":"method","in":"C","names":["m"]}`, `"detail":"`, `"message":"an error"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the JSON lacks %s:\n%s", want, text)
		}
	}
	p.remove("src")
	p.update(x, "src")
	p.close(x)
	if text := p.line("src/b.go"); !strings.HasSuffix(text, `"path":"src/b.go","removed":true}`+"\n") {
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

// TestJSONStore_Damage checks that a damaged log is noticed, that nothing wrong is loaded, and that an analysis repairs it.
func TestJSONStore_Damage(t *testing.T) {
	p := stored(t)
	whole := p.read(data + "/" + index.LogName)
	want := p.fresh(index.Options{Calls: true})
	damages := map[string][]byte{
		"empty": {}, "foreign": bytes.Repeat([]byte("no line of an index\n"), 100), "null": []byte("null\n"),
		"twice": append(bytes.Clone(whole), whole[len(whole)/3:]...),
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/40 {
		damages[fmt.Sprint("bit ", at)] = append(append(bytes.Clone(whole[:at]), whole[at]^0x15), whole[at+1:]...)
		if at > 0 && whole[at-1] != '\n' {
			damages[fmt.Sprint("truncated ", at)] = whole[:at]
		}
	}
	for name, damaged := range damages {
		p.writeNow(data+"/"+index.LogName, string(damaged))
		x := p.again()
		if x.Damage() == "" || !strings.Contains(x.Damage(), "data/chunks/chunks.jsonl") {
			t.Errorf("%s: the damage is %q, %d files were loaded", name, x.Damage(), x.Snapshot().Len())
		}
		for _, f := range x.Snapshot().Files() {
			if err := f.Checked(); err != nil {
				t.Errorf("%s: %s: %v", name, f.Path, err)
			}
		}
		if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Damage == "" || x.Damage() != "" {
			t.Errorf("%s: after an analysis the damage is %q: %+v", name, x.Damage(), report)
		}
		p.same(x, want)
		p.close(x)
		y := p.again()
		p.same(y, want)
		if y.Damage() != "" && name != "twice" { // there nothing was missing, so that nothing was saved
			t.Errorf("%s: after a repair the damage is %q", name, y.Damage())
		}
		p.close(y)
	}
}

// TestOpen_PathsOutside checks that an index shows only paths that the project can have.
func TestOpen_PathsOutside(t *testing.T) {
	for _, name := range []string{"/etc/passwd", "../x.go", "src/../../x.go", "./a.go", "a\nb.go", "src/", "C:/x.go"} {
		p := stored(t)
		whole := string(p.read(data + "/" + index.LogName))
		text := string(index.LineText([]byte(p.line("a.go"))))
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		hostile := index.SumLine([]byte(strings.Replace(text, `"a.go"`, string(quoted), 1)))
		p.writeNow(data+"/"+index.LogName, whole+string(hostile))
		x := p.again()
		if got := paths(x); len(got) != len(sources) || slices.Contains(got, name) || x.Damage() == "" {
			t.Errorf("%q: shown are %q, the damage is %q", name, got, x.Damage())
		}
		p.close(x)
		if strings.Contains(string(index.Compacted(p.read(data+"/"+index.LogName))), string(quoted)) {
			t.Errorf("%q is kept", name)
		}
	}
}

// TestJSONStore_Touched checks that a file with another time and the same content adds only its times to the log.
func TestJSONStore_Touched(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": strings.Repeat("func a\n", 500)})
	x := p.index(index.Options{Store: p.store()})
	p.analyze(x, ".", index.AnalyzeOptions{})
	size := func() int { return len(p.read(data + "/" + index.LogName)) }
	before := size()
	touch := func(x *index.Index, hours int) {
		t.Helper()
		at := time.Now().Add(-time.Duration(hours) * time.Hour)
		if err := os.Chtimes(p.path("a.go"), at, at); err != nil {
			t.Fatal(err)
		}
		if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Unchanged != 1 || report.Parsed != 0 {
			t.Errorf("%+v", report)
		}
	}
	touch(x, 2)
	p.close(x)
	x = p.index(index.Options{Store: p.store()})
	touch(x, 3)
	p.close(x)
	if added := size() - before; added < 100 || added > 600 {
		t.Errorf("two changes of times added %d bytes to %d", added, before)
	}
	x = p.index(index.Options{Store: p.store()})
	p.same(x, p.fresh(index.Options{}))
	info, err := os.Stat(p.path("a.go"))
	if f, ok := x.Lookup("a.go"); err != nil || !ok || !f.ModTime.Equal(info.ModTime()) {
		t.Errorf("the time is not kept: %v", err)
	}
	small := index.Compacted(p.read(data + "/" + index.LogName))
	if files, damaged := index.DecodeLog(small); damaged > 0 || len(files) != 1 || !files[0].ModTime.Equal(info.ModTime()) || len(small) > before+20 {
		t.Errorf("compacted: %d files, %d damaged, %d bytes of %d", len(files), damaged, len(small), before)
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
	p.remove(data + "/" + index.LogName)
	p.analyze(x, ".", index.AnalyzeOptions{Force: true})
	if _, err := os.Stat(p.log()); err != nil {
		t.Error(err)
	}
	p.close(x)
	p.same(p.again(), p.fresh(index.Options{Calls: true}))
}

// TestJSONStore_OlderVersion checks that only files of an older version are removed.
func TestJSONStore_OlderVersion(t *testing.T) {
	p := stored(t)
	old := strings.ReplaceAll(string(p.read(data+"/"+index.LogName)), `{"version":5`, `{"version":4`)
	p.writeNow(data+"/"+index.LogName, old)
	p.writeNow(data+"/index.bin", "dougu chunks")
	p.writeNow(data+"/0/0123456789abcdef-a.go.json", `{"version":2,"path":"a.go"}`)
	p.writeNow(data+"/f/f123456789abcdef-b.go.json", `{"version":2,"path":"src/b.go"}`)
	p.writeNow(data+"/f/mine.txt", "x")
	x := p.again()
	if n := x.Snapshot().Len(); n != 0 {
		t.Errorf("%d files of another version were loaded", n)
	}
	if x.Damage() != "" {
		t.Errorf("another version is damage: %s", x.Damage())
	}
	if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Parsed != len(sources) {
		t.Errorf("%+v", report)
	}
	p.close(x)
	if kept := string(p.read(data + "/" + index.LogName)); strings.Contains(kept, `"version":4`) {
		t.Error("lines of the older version are kept")
	}
	if _, err := os.Stat(p.path(data + "/index.bin")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal of an older version is kept: %v", err)
	}
	if left, err := filepath.Glob(p.path(data + "/?/*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != "mine.txt" {
		t.Errorf("left are %v: %v", left, err)
	}
	p.same(p.again(), p.fresh(index.Options{Calls: true}))
}

// TestJSONStore_Compaction checks that a log of which much is outdated is written anew.
func TestJSONStore_Compaction(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	p.maxIdle = 256 << 10
	x := p.index(index.Options{Store: p.store()})
	p.analyze(x, ".", index.AnalyzeOptions{})
	var largest int64
	shrunk := false // to half of its size
	look := func() {
		info, err := os.Stat(p.log())
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
		shrunk = shrunk || info.Size() <= largest/2
	}
	for i := range 200 {
		p.write("big.go", strings.Repeat(fmt.Sprintf("func f%d\n", i), 250))
		p.update(x, "big.go")
		look()
	}
	p.close(x) // which waits for what is done beside
	if look(); !shrunk || largest > 1<<20 {
		t.Errorf("the log had %d bytes, and was halved: %v", largest, shrunk)
	}
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
