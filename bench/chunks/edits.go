package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// editTally counts the changes of functions in one language.
type editTally struct {
	files     int
	replaced  int // functions that were replaced by themselves
	refused   int // of them refused
	differ    int // of them with another content of the file
	right     int // edits that are written, with a valid content
	rejected  int // edits that are refused, with an invalid content
	overcare  int // edits that are refused, with a valid content
	broken    int // edits that are written, with an invalid content
	elsewhere int // edits that change bytes beside the edit
}

// edits replaces functions of real projects by themselves and makes random edits in them. Another parser decides which edits are valid.
func (b *bench) edits(ctx context.Context) (err error) {
	parsers := builtin.Parsers(builtin.Options{CacheDir: grammarCache()})
	defer func() { err = errors.Join(err, parsers.Close()) }()
	fmt.Fprint(b.stdout, "\n| language | project | files | replaced by themselves | refused | other bytes | edits written, valid | refused, invalid | refused, valid | written, invalid | bytes elsewhere | by | |\n",
		"|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|\n")
	for _, c := range editCorpora() {
		if b.languages != "" && !slices.Contains(strings.Split(b.languages, ","), string(c.language)) {
			continue
		}
		if err := b.editCorpus(ctx, parsers, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// grammarCache returns the directory of compiled grammars, or "" for none.
func grammarCache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "dougu", "grammars")
}

// editor edits the functions of one project.
type editor struct {
	set     *chunking.Chunks
	lang    source.Language
	dir     string
	checker checker
	random  *rand.Rand
	tally   editTally
	report  func(format string, args ...any)
	every   int // one edit for so many functions
}

func (b *bench) editCorpus(ctx context.Context, parsers *source.Parsers, c editProject) (err error) {
	from, err := c.open(b)
	if err != nil {
		fmt.Fprintf(b.stderr, "chunks: %s is not measured: %v\n", c.name, err)
		return nil
	}
	names, err := languageFiles(parsers, from, c.within, c.language)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, uint64(len(names))))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	checker, by, err := b.checkerOf(ctx, parsers, c.language)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, checker.close()) }()
	dir, err := os.MkdirTemp(b.dir, "edits")
	if err != nil {
		return err
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: filepath.Join(b.dir, "state")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	set, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{InMemory: true, Parsers: source.NewParsers(&lastParsed{Parsers: parsers})})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close(ctx)) }()
	e := &editor{set: set, lang: c.language, dir: dir, checker: checker, random: random, report: func(string, ...any) {}, every: b.editEvery}
	if b.verbose {
		e.report = func(format string, args ...any) { fmt.Fprintf(b.stderr, format+"\n", args...) }
	}
	for _, name := range names {
		if e.tally.replaced >= b.functions {
			break
		}
		if err := e.file(ctx, from, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	t := e.tally
	fmt.Fprintf(b.stdout, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s |\n", c.language, c.name, t.files, t.replaced, t.refused, t.differ,
		t.right, t.rejected, t.overcare, t.broken, t.elsewhere, by, met(t.differ == 0 && t.broken == 0 && t.elsewhere == 0))
	return nil
}

// file replaces the functions of a file and edits some of them. A file that the checker refuses or that has syntax errors is left out.
func (e *editor) file(ctx context.Context, from fs.FS, name string) error {
	content, err := fs.ReadFile(from, name)
	if err != nil || len(content) > 100_000 || len(content) == 0 {
		return err
	}
	if valid, err := e.checker.valid(e.lang, string(content)); err != nil || !valid {
		return err
	}
	base := "f" + filepath.Ext(name)
	path := filepath.Join(e.dir, base)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err
	}
	list, err := e.set.ListFunctions(ctx, chunking.ListFunctionsArgs{FilePath: base, Language: string(e.lang)})
	if err != nil || len(list.ParseErrors) > 0 {
		return ctx.Err()
	}
	e.tally.files++
	sum := sha256.Sum256(content)
	for _, f := range list.Functions {
		if err := e.replaceByItself(ctx, name, base, f.ID, hex.EncodeToString(sum[:])); err != nil {
			return err
		}
		if e.random.IntN(e.every) > 0 {
			continue
		}
		if err := e.edit(ctx, name, base, f.ID, string(content)); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// replaceByItself replaces a function by the text that the tool shows.
func (e *editor) replaceByItself(ctx context.Context, name, base, id, digest string) error {
	got, err := e.set.FunctionChunk(ctx, chunking.FunctionChunkArgs{FilePath: base, FunctionSignature: id, Language: string(e.lang)})
	if err != nil {
		return err
	}
	e.tally.replaced++
	done, err := e.set.Replace(ctx, chunking.ReplaceArgs{FilePath: base, FunctionSignature: id, Language: string(e.lang), NewCode: got.Code, DryRun: true})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		e.tally.refused++
		e.report("%s: %s by itself: %v", name, id, err)
	case done.SHA256 != digest:
		e.tally.differ++
		e.report("%s: %s by itself:\n%s", name, id, done.Diff)
	}
	return nil
}

// edit makes a random edit in a function and compares the file with the edited text.
func (e *editor) edit(ctx context.Context, name, base, id, content string) error {
	got, err := e.set.FunctionChunk(ctx, chunking.FunctionChunkArgs{FilePath: base, FunctionSignature: id, Language: string(e.lang)})
	if err != nil {
		return err
	}
	if got.Truncated || strings.Count(content, got.Code) != 1 {
		return nil
	}
	old, changed, ok := randomEdit(e.random, e.lang, got.Code)
	if !ok || strings.Count(got.Code, old) != 1 {
		return nil
	}
	if strings.Contains(content, "\r\n") {
		changed = strings.ReplaceAll(changed, "\n", "\r\n")
	}
	want := strings.Replace(content, got.Code, strings.Replace(got.Code, old, changed, 1), 1)
	valid, err := e.checker.valid(e.lang, want)
	if err != nil {
		return err
	}
	_, err = e.set.EditChunk(ctx, chunking.EditChunkArgs{ChunkID: base + "#" + strings.TrimPrefix(id, base+"#"), OldText: old, NewText: changed})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	after, readErr := os.ReadFile(filepath.Join(e.dir, base))
	if readErr != nil {
		return readErr
	}
	switch now := string(after); {
	case err != nil && now != content, err == nil && now != want:
		e.tally.elsewhere++
		e.report("%s: %s: %q by %q changed other bytes: %v", name, id, old, changed, err)
	case err == nil && valid:
		e.tally.right++
	case err == nil:
		e.tally.broken++
		e.report("%s: %s: %q by %q is written, but not valid", name, id, old, changed)
	case valid:
		e.tally.overcare++
		e.report("%s: %s: %q by %q is refused: %v", name, id, old, changed, err)
	default:
		e.tally.rejected++
	}
	return nil
}

// lastParsed keeps its last result, because a file is parsed often in a row.
type lastParsed struct {
	*source.Parsers
	lang source.Language
	src  string
	file *source.File
}

// Name returns the name of the parser.
func (p *lastParsed) Name() string { return "last" }

// Parse implements source.Parser. It is called by one goroutine at a time.
func (p *lastParsed) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if p.file == nil || p.lang != lang || p.src != string(src) {
		file, err := p.Parsers.Parse(ctx, src, lang, o)
		if err != nil {
			return file, err
		}
		p.lang, p.src, p.file = lang, string(src), file
	}
	file := *p.file // the caller may change its result
	file.Chunks, file.Problems = slices.Clone(file.Chunks), slices.Clone(file.Problems)
	return &file, nil
}

// Check implements source.Checker.
func (p *lastParsed) Check(ctx context.Context, src []byte, lang source.Language) ([]source.Problem, error) {
	problems, _, err := p.Parsers.Check(ctx, src, lang)
	return problems, err
}
