package viewtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
)

// names are the files of the project. The Go files have one function a line; the JSON file is valid or not.
var names = []string{"a.go", "b.go", "dir/c.go", "d.json"}

// file is a file of the model.
type file struct {
	disk  string
	gone  bool // there is no file
	open  bool
	dirty bool
	text  string // in the editor, if it is open
}

// present is the text that tools must return.
func (f *file) present() string {
	if f.dirty {
		return f.text
	}
	return f.disk
}

// world is a project with all tool sets, and the model of it.
type world struct {
	t      *testing.T
	r      *rand.Rand
	dir    string
	user   user
	root   *security.Root
	files  *fs.Files
	code   *editor.Editor
	chunks *chunking.Chunks
	search *search.Search
	model  map[string]*file
	last   int      // number of the last function
	log    []string // steps of the sequence
}

// newWorld opens all tool sets for the project in dir.
func newWorld(t *testing.T, dir string, who user, editors ...adapter.Adapter) *world {
	t.Helper()
	w := &world{t: t, dir: dir, user: who}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir(), Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	parsers := source.NewParsers(golang.Parser{})
	t.Cleanup(func() { parsers.Close() })
	env := tools.Env{Root: root, Seen: new(tools.Ledger)}
	w.root = root
	if w.files, err = fs.New(env, fs.Options{}); err != nil {
		t.Fatal(err)
	}
	if w.code, err = editor.New(t.Context(), env, editor.Options{Adapters: editors, Syntax: syntax.New(nil), Feedback: -1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.code.Close(context.Background()) })
	if w.chunks, err = chunking.New(t.Context(), env, chunking.Options{InMemory: true, Parsers: parsers}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.chunks.Close(context.Background()) })
	documents, err := filesystem.New(env, filesystem.Options{Index: segment.NewMemory(), Parsers: parsers, Interval: -1, Quiet: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	if w.search, err = search.New(env, search.Options{Plugins: []plugin.Plugin{documents}, Parsers: parsers, NoGit: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.search.Close(context.Background()) })
	w.reset()
	if _, err := w.chunks.Analyze(t.Context(), chunking.AnalyzeArgs{ProjectPath: dir}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// reset closes all documents and writes the files anew.
func (w *world) reset() {
	w.t.Helper()
	w.user.closeAll(w.t)
	w.model, w.log = make(map[string]*file), nil
	for _, name := range names {
		w.model[name] = new(file)
		w.outside(name, w.someText(name))
	}
	w.index(names...)
}

// outside writes a file as another program does.
func (w *world) outside(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.model[name].disk, w.model[name].gone = text, false
}

// index brings the indexes up to date with changed files of the disk, as their watchers do later.
func (w *world) index(changed ...string) {
	w.t.Helper()
	if w.chunks == nil {
		return
	}
	if _, err := w.chunks.Index().Update(w.t.Context(), changed...); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range changed {
		if _, err := w.search.Refresh(w.t.Context(), search.RefreshArgs{Path: name}); err != nil && security.CodeOf(err) != security.FileNotFound {
			w.t.Logf("indexing %s: %v", name, err)
		}
	}
}

// function returns the line of a new function.
func (w *world) function() string {
	w.last++
	return fmt.Sprintf("func mark%d() int { return %d }\n", w.last, w.last)
}

func (w *world) someText(name string) string {
	if strings.HasSuffix(name, ".json") {
		w.last++
		return fmt.Sprintf([]string{"{\"a\": %d}\n", "{\"a\": %d\n"}[w.last%2], w.last)
	}
	text := "package p\n\n"
	for range 1 + w.last%3 {
		text += w.function()
	}
	return text
}

// sequence makes random steps and checks the tools after each.
func (w *world) sequence(seed uint64, steps int) {
	w.t.Helper()
	w.r = rand.New(rand.NewPCG(seed, 0))
	w.reset()
	w.check()
	for range steps {
		name := names[w.r.IntN(len(names))]
		f := w.model[name]
		before := f.disk
		step := w.step(name, f)
		w.log = append(w.log, step+" "+name)
		w.t.Logf("%s %s", step, name)
		if f.disk != before || f.gone {
			w.index(name)
		}
		w.check()
		if w.t.Failed() {
			w.t.Fatalf("seed %d, after %s", seed, strings.Join(w.log, ", "))
		}
	}
}

// step makes one step and returns its name.
func (w *world) step(name string, f *file) string {
	w.t.Helper()
	if f.gone {
		w.outside(name, w.someText(name))
		return "create"
	}
	if w.r.IntN(2) == 0 {
		return w.act(name, f)
	}
	functions := regexp.MustCompile(`(?m)^func (mark\d+)\(\) int \{ return \d+ \}\n`).FindAllStringSubmatch(f.present(), -1)
	if len(functions) == 0 {
		return w.use(name, f, w.r.IntN(3), "", "")
	}
	one := functions[w.r.IntN(len(functions))]
	return w.use(name, f, w.r.IntN(8), one[0], one[1])
}

// act is an action of the user or of another program.
func (w *world) act(name string, f *file) (action string) {
	w.t.Helper()
	path := w.path(name)
	switch w.r.IntN(6) {
	case 0, 1:
		action = "type"
		w.user.write(w.t, path, w.someText(name))
	case 2:
		if !f.open {
			return "nothing"
		}
		action = "save"
		w.user.save(w.t, path)
	case 3:
		if !f.open {
			return "nothing"
		}
		action = "undo"
		w.user.undo(w.t, path)
	case 4:
		if !f.open {
			return "nothing"
		}
		action = "reload"
		w.user.reload(w.t, path)
	default:
		w.outside(name, w.someText(name))
		return "change outside"
	}
	f.text, f.open, f.dirty = w.user.look(w.t, path)
	raw, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	f.disk = string(raw)
	return action
}

// use calls a tool. function is a line of the text, and mark its name.
func (w *world) use(name string, f *file, tool int, function, mark string) string {
	w.t.Helper()
	ctx := tools.WithPeer(w.t.Context(), "model")
	text := f.present()
	sha256 := digest(text)
	if w.r.IntN(4) == 0 && f.dirty {
		sha256 = digest(f.disk) // of an earlier text
	}
	var want string
	var call func() error
	var called string
	changed := strings.Replace(function, "{ return ", "{ return 1", 1)
	switch tool {
	case 0:
		called, want = "write_file", w.someText(name)
		call = func() error {
			_, err := w.files.Write(ctx, fs.WriteArgs{Path: name, Content: want})
			return err
		}
	case 1:
		called, want = "append", text+"\n"
		call = func() error {
			_, err := w.files.Write(ctx, fs.WriteArgs{Path: name, Content: "\n", Mode: "append"})
			return err
		}
	case 2:
		return w.remove(name, f)
	case 3:
		called, want = "edit_file", strings.Replace(text, function, changed, 1)
		call = func() error {
			_, err := w.files.Edit(ctx, fs.EditArgs{Path: name, Edits: []fs.TextEdit{{OldText: function, NewText: changed}}, ExpectedSHA256: sha256})
			return err
		}
	case 4:
		added := w.function()
		called, want = "insert_code", strings.Replace(text, "package p\n\n", "package p\n\n"+added, 1)
		call = func() error {
			_, err := w.code.InsertCode(ctx, editor.InsertCodeArgs{Path: name, Line: 3, Content: added, ExpectedSHA256: sha256})
			return err
		}
	case 5:
		called, want = "delete_code", strings.Replace(text, function, "", 1)
		line := strings.Count(text[:strings.Index(text, function)], "\n") + 1
		call = func() error {
			_, err := w.code.DeleteCode(ctx, editor.DeleteCodeArgs{Path: name, StartLine: line, EndLine: line, ExpectedSHA256: sha256})
			return err
		}
	case 6:
		w.last++
		other := fmt.Sprintf("mark%d(", w.last)
		called, want = "replace_code", strings.ReplaceAll(text, mark+"(", other)
		call = func() error {
			_, err := w.code.ReplaceCode(ctx, editor.ReplaceCodeArgs{Path: name, Pattern: mark + "(", Replacement: other, Preview: new(bool), ExpectedSHA256: sha256})
			return err
		}
	default:
		called, want = "replace_function_chunk", strings.Replace(text, function, changed, 1)
		call = func() error {
			_, err := w.chunks.Replace(ctx, chunking.ReplaceArgs{FilePath: name, FunctionSignature: mark, NewCode: strings.TrimSpace(changed)})
			return err
		}
	}
	err := call()
	if security.CodeOf(err) == security.StaleFile { // reading again must help
		called += " again"
		got, failed := w.files.Read(ctx, fs.ReadArgs{Path: name})
		if failed != nil {
			w.t.Fatal(failed)
		}
		sha256 = got.SHA256
		err = call()
	}
	if err != nil {
		w.t.Fatalf("%s of %s, which is %+v: %v", called, name, f, err)
	}
	if f.dirty {
		f.text = want
	} else {
		f.disk = want
	}
	w.seen(name, f, called)
	return called
}

// seen compares the editor and the disk with the model after a tool has changed a file.
func (w *world) seen(name string, f *file, called string) {
	w.t.Helper()
	if raw, err := os.ReadFile(w.path(name)); err != nil || string(raw) != f.disk {
		w.t.Errorf("after %s the disk has %q of %s (%v), want %q", called, raw, name, err, f.disk)
	}
	text, open, dirty := w.user.look(w.t, w.path(name))
	if open != f.open || dirty != f.dirty || dirty && text != f.text {
		w.t.Errorf("after %s the editor has %q of %s (open %v, dirty %v), want %+v", called, text, name, open, dirty, f)
	}
	f.text = text
}

// remove deletes a file, which is refused if it has unsaved text.
func (w *world) remove(name string, f *file) string {
	w.t.Helper()
	_, err := w.files.Delete(w.t.Context(), fs.DeleteArgs{Path: name})
	if f.dirty {
		if security.CodeOf(err) != security.FileBusy {
			w.t.Errorf("deleting %s, which has unsaved text: %v", name, err)
		}
		w.seen(name, f, "delete_file")
		return "refused delete_file"
	}
	if err != nil {
		w.t.Fatalf("deleting %s: %v", name, err)
	}
	*f = file{gone: true}
	for other, g := range w.model {
		if g.dirty {
			g.dirty, g.text = false, ""
		}
		g.open = false
		w.model[other] = g
	}
	w.user.closeAll(w.t) // a document without a file is of no interest here
	return "delete_file"
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

var markName = regexp.MustCompile(`mark\d+`)

// check compares all reading tools with the model.
func (w *world) check() {
	w.t.Helper()
	ctx, _ := w.root.View(w.t.Context())
	marks := make(map[string][]string) // by file
	for _, name := range names {
		f := w.model[name]
		got, err := w.files.Read(ctx, fs.ReadArgs{Path: name})
		if f.gone {
			if security.CodeOf(err) != security.FileNotFound {
				w.t.Errorf("read_file of the deleted %s: %+v, %v", name, got, err)
			}
			continue
		}
		if err != nil || got.Content != f.present() || got.SHA256 != digest(f.present()) || (got.Unsaved != "") != f.dirty {
			w.t.Errorf("read_file of %s: %+v, %v; want %+v", name, got, err, f)
		}
		info, err := w.files.Info(ctx, fs.InfoArgs{Path: name})
		if err != nil || info.SHA256 != got.SHA256 || info.Size != int64(len(f.present())) {
			w.t.Errorf("get_file_info of %s: %+v, %v; want %+v", name, info, err, f)
		}
		marks[name] = markName.FindAllString(f.present(), -1)
		slices.Sort(marks[name])
	}
	w.checkSearch(ctx, marks)
	w.checkChunks(ctx, marks)
	if f := w.model["d.json"]; !f.gone {
		want := 0
		if !json.Valid([]byte(f.present())) {
			want = 1
		}
		got, err := w.code.Diagnostics(ctx, editor.DiagnosticsArgs{Path: "d.json"})
		if err != nil || got.Errors == nil || min(*got.Errors, 1) != want || got.Checked != 1 {
			w.t.Errorf("get_diagnostics of d.json: %+v, %v; want %d in %+v", got, err, want, f)
		}
	}
}

func (w *world) checkSearch(ctx context.Context, marks map[string][]string) {
	w.t.Helper()
	got, err := w.files.SearchContent(ctx, fs.SearchContentArgs{Pattern: "func mark", Literal: true, MaxResults: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	found := make(map[string][]string)
	for _, f := range got.Files {
		for _, line := range f.Lines {
			found[f.Path] = append(found[f.Path], markName.FindAllString(line.Text, -1)...)
		}
		slices.Sort(found[f.Path])
		if f.Matches != len(marks[f.Path]) {
			w.t.Errorf("search_content counts %d matches in %s, want %q", f.Matches, f.Path, marks[f.Path])
		}
	}
	for _, name := range names {
		if !slices.Equal(found[name], marks[name]) {
			w.t.Errorf("search_content of %s: %q, want %q", name, found[name], marks[name])
		}
	}
	wanted := fmt.Sprintf("mark%d", 1+w.last-w.last%4)
	if len(marks["a.go"]) > 0 {
		wanted = marks["a.go"][0]
	}
	hits, err := w.search.SearchDocuments(ctx, search.DocumentsArgs{Query: wanted})
	if err != nil {
		w.t.Fatal(err)
	}
	holds := func(name string) bool { return slices.Contains(marks[name], wanted) }
	for _, name := range names {
		is := slices.ContainsFunc(hits.Results, func(d search.Document) bool { return d.Path == name && d.Name == wanted })
		if is != holds(name) {
			w.t.Errorf("searchDocuments of %s finds it in %s: %v, want %v; %+v", wanted, name, is, holds(name), hits)
		}
	}
}

func (w *world) checkChunks(ctx context.Context, marks map[string][]string) {
	w.t.Helper()
	symbols, err := w.chunks.SearchSymbols(ctx, chunking.SearchSymbolsArgs{Query: "mark", MaxResults: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	found := make(map[string][]string)
	for _, s := range symbols.Symbols {
		path, name, _ := strings.Cut(s.ID, "#")
		found[path] = append(found[path], name)
	}
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		slices.Sort(found[name])
		if !slices.Equal(found[name], marks[name]) {
			w.t.Errorf("search_symbols in %s: %q, want %q", name, found[name], marks[name])
			continue
		}
		if len(marks[name]) > 0 {
			one := marks[name][len(marks[name])-1]
			got, err := w.chunks.Chunk(ctx, chunking.GetChunkArgs{ChunkID: name + "#" + one})
			if err != nil || !strings.Contains(w.model[name].present(), got.Code) || !strings.Contains(got.Code, one+"(") {
				w.t.Errorf("get_chunk of %s in %s: %+v, %v", one, name, got, err)
			}
		}
	}
}
