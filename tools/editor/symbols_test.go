package editor_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// symbolFiles is a project in which names repeat.
var symbolFiles = map[string]string{
	"shape.go":  "package shape\n\n// Shape has an area.\ntype Shape interface {\n\tArea() int\n}\n\n// Square is a shape.\ntype Square struct {\n\tside int\n}\n\n// Area returns the area.\nfunc (s *Square) Area() int {\n\treturn double(s.side)\n}\n\nfunc double(n int) int { return 2 * n }\n\nfunc unused() {}\n",
	"web/a.ts":  "export class Base {}\n\nexport class Button extends Base {\n  /** Draws. */\n  draw(): void {\n    paint(1);\n    paint(2);\n  }\n}\n\nfunction paint(n: number): void {}\n\nexport function over(a: string): string;\nexport function over(a: any): any {\n  return a;\n}\n",
	"limit.go":  "package shape\n\nvar (\n\tlimit = 1\n\trest  = 2\n)\n",
	"notes.rst": "paint and double\n",
	"bad.go":    "package shape\n\nfunc broken() {\n\tif {\n\nfunc other() {}\n",
}

// withSymbols returns a setup with parsers.
func withSymbols(t testing.TB, adapters ...adapter.Adapter) setup {
	t.Helper()
	parsers := builtin.Parsers(builtin.Options{})
	t.Cleanup(func() { parsers.Close() })
	// Grammars are compiled at their first use, which takes long on a busy machine.
	return setup{options: editor.WithSearchTime(editor.Options{Adapters: adapters, Parsers: parsers}, 5*time.Minute)}
}

// listed returns the names of the listed tools.
func listed(set tools.Set) string {
	var names []string
	for _, t := range set.Features().Tools {
		if !t.Options().Unlisted {
			names = append(names, t.Tool().Name)
		}
	}
	return strings.Join(names, " ")
}

func TestSymbols_Listed(t *testing.T) {
	for name, tt := range map[string]struct {
		setup setup
		files map[string]string
		want  bool
	}{
		"source files":    {withSymbols(t), symbolFiles, true},
		"no source files": {withSymbols(t), map[string]string{"a.txt": "x"}, false},
		"no parsers":      {with(), symbolFiles, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, tt.setup, tt.files)
			if got := strings.Contains(listed(p), "find_symbol"); got != tt.want {
				t.Errorf("listed: %v", got)
			}
		})
	}
}

func TestFindSymbol_Text(t *testing.T) {
	p := newProject(t, withSymbols(t), symbolFiles)
	for name, tt := range map[string]struct {
		args editor.FindSymbolArgs
		want string
	}{
		"name path":            {editor.FindSymbolArgs{Symbol: "Square/Area"}, "shape.go#Square.Area [method, 14-16] func (s *Square) Area() int\n"},
		"id":                   {editor.FindSymbolArgs{Symbol: "web/a.ts#over~2"}, "web/a.ts#over~2 [function, 14-16] export function over(a: any): any\n"},
		"body":                 {editor.FindSymbolArgs{Symbol: "Button/draw", Body: true}, "web/a.ts#Button.draw [method, 5-8] draw(): void\n  draw(): void {\n    paint(1);\n    paint(2);\n  }\n"},
		"comment":              {editor.FindSymbolArgs{Symbol: "Button/draw", Info: true}, "web/a.ts#Button.draw [method, 5-8] draw(): void\n/** Draws. */\n"},
		"members":              {editor.FindSymbolArgs{Symbol: "/Square", Depth: 1}, "shape.go#Square [struct, 9-11] type Square struct\n  side [property, 10-10] side int\n  Area [method, 14-16] func (s *Square) Area() int\n"},
		"outline":              {editor.FindSymbolArgs{Path: "web/a.ts", Kind: "type"}, "web/a.ts#\n Base [class, 1-1] export class Base\n Button [class, 3-9] export class Button extends Base\n"},
		"outline with members": {editor.FindSymbolArgs{Path: "shape.go", Depth: 1, Kind: "struct"}, "shape.go#Square [struct, 9-11] type Square struct\n  side [property, 10-10] side int\n  Area [method, 14-16] func (s *Square) Area() int\n"},
		"outline of functions": {editor.FindSymbolArgs{Path: "shape.go", Depth: 1, Kind: "callable"}, "shape.go#\n double [function, 18-18] func double(n int) int\n unused [function, 20-20] func unused()\n"},
		"substring":            {editor.FindSymbolArgs{Symbol: "ain", Substring: true, Path: "web"}, "web/a.ts#paint [function, 11-11] function paint(n: number): void\n"},
		"limit":                {editor.FindSymbolArgs{Symbol: "over", Limit: 1}, "web/a.ts#over [function, 13-13] export function over(a: string): string;\n[there are more: give a path, a kind or a longer name path]\n"},
		"kind":                 {editor.FindSymbolArgs{Symbol: "Area", Kind: "class"}, "[no symbols]\n"},
		"interface":            {editor.FindSymbolArgs{Symbol: "Shape/Area"}, "shape.go#Shape.Area [method, 5-5] Area() int\n"},
		"two of name":          {editor.FindSymbolArgs{Symbol: "Area", Path: "shape.go"}, "shape.go#\n Shape.Area [method, 5-5] Area() int\n Square.Area [method, 14-16] func (s *Square) Area() int\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := call(t, p.FindSymbol, tt.args).TextContent(); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestFindSymbol_Errors(t *testing.T) {
	p := newProject(t, withSymbols(t), symbolFiles)
	for name, tt := range map[string]struct {
		args editor.FindSymbolArgs
		code string
		next string
	}{
		"nothing":        {editor.FindSymbolArgs{}, "INVALID_PARAMS", ""},
		"slash":          {editor.FindSymbolArgs{Symbol: "/", Substring: true}, "INVALID_PARAMS", ""},
		"kind":           {editor.FindSymbolArgs{Symbol: "Area", Kind: "thing"}, "INVALID_PARAMS", ""},
		"limit":          {editor.FindSymbolArgs{Symbol: "Area", Limit: 900}, "INVALID_PARAMS", ""},
		"unknown":        {editor.FindSymbolArgs{Symbol: "Triangle"}, "SYMBOL_NOT_FOUND", "substring=true"},
		"similar":        {editor.FindSymbolArgs{Symbol: "draws", Path: "web/a.ts"}, "SYMBOL_NOT_FOUND", "Button/draw"},
		"no parser":      {editor.FindSymbolArgs{Symbol: "paint", Path: "notes.rst"}, "NO_PARSER", "text"},
		"no such file":   {editor.FindSymbolArgs{Symbol: "paint", Path: "x.go"}, "FILE_NOT_FOUND", ""},
		"outside":        {editor.FindSymbolArgs{Symbol: "paint", Path: "../x.go"}, "PATH_OUTSIDE_ALLOWED", ""},
		"directory only": {editor.FindSymbolArgs{Path: "web"}, "IS_A_DIRECTORY", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.FindSymbol(t.Context(), tt.args)
			if codeOf(err) != tt.code && !(tt.code == "PATH_OUTSIDE_ALLOWED" && err != nil) || tt.next != "" && !strings.Contains(next(err), tt.next) {
				t.Errorf("%s, %v, next %q", codeOf(err), err, next(err))
			}
		})
	}
}

// next returns the next step of an error.
func next(err error) string {
	if e, ok := errors.AsType[*mcp.ToolError](err); ok {
		return e.Next
	}
	return ""
}

// The documentation of a language server is preferred to the comment.
func TestFindSymbol_Hover(t *testing.T) {
	server := &hierarchyServer{fakeServer: newFakeServer(), hover: "```go\nfunc double(n int) int\n```\nDoubles."}
	p := newProject(t, withSymbols(t, server), symbolFiles)
	r := call(t, p.FindSymbol, editor.FindSymbolArgs{Symbol: "double", Info: true})
	if len(r.Symbols) != 1 || r.Symbols[0].InfoBy != "brain" || !strings.Contains(r.TextContent(), "Doubles.") {
		t.Errorf("%+v", r)
	}
	server.hoverErr = adapter.ErrUnsupported
	if r = call(t, p.FindSymbol, editor.FindSymbolArgs{Symbol: "Square/Area", Info: true}); r.Symbols[0].InfoBy != "" || r.Symbols[0].Info != "// Area returns the area." {
		t.Errorf("%+v", r)
	}
}

// A long body is cut, and the answer says so.
func TestFindSymbol_LongBody(t *testing.T) {
	long := "package a\n\nfunc long() {\n" + strings.Repeat("\tcall(1, 2, 3)\n", 5000) + "}\n"
	s := withSymbols(t)
	s.limits = tools.Limits{Answer: 4 << 10}
	p := newProject(t, s, map[string]string{"a.go": long})
	r := call(t, p.FindSymbol, editor.FindSymbolArgs{Symbol: "long", Body: true})
	if !r.Symbols[0].BodyTruncated || len(r.TextContent()) > 4<<10 || !strings.Contains(r.TextContent(), "to line 5004") {
		t.Errorf("%d bytes", len(r.TextContent()))
	}
}

// Hostile files are bounded.
func TestFindSymbol_HostileFiles(t *testing.T) {
	p := newProject(t, withSymbols(t), map[string]string{
		"line.ts":  "function target() { return \"" + strings.Repeat("x", 2<<20) + "\" }\n",
		"deep.ts":  "function target() {" + strings.Repeat("{", 20_000) + "\n",
		"utf8.go":  "package a\n\nfunc target() { _ = \"\xff\xfe\" }\n",
		"null.go":  "package a\n\nfunc target() {}\n\x00\x01",
		"many.go":  "package a\n" + strings.Repeat("func target() {}\n", 5000),
		"name.py":  "def target" + strings.Repeat("x", 100_000) + "(): pass\n",
		"short.go": "package a\n\nfunc target() {}\n",
	})
	r := call(t, p.FindSymbol, editor.FindSymbolArgs{Symbol: "target", Body: true, Depth: 5, Info: true, Limit: 200})
	if text := r.TextContent(); !r.Truncated || len(text) > 64<<10 {
		t.Errorf("%d bytes, truncated %v", len(text), r.Truncated)
	}
	r = call(t, p.FindSymbol, editor.FindSymbolArgs{Symbol: "target[4999]", Path: "many.go"})
	if len(r.Symbols) != 1 || r.Symbols[0].ID != "many.go#target~5000" {
		t.Errorf("%+v", r.Symbols)
	}
}

// hierarchyServer is a fakeServer with documentation and hierarchies.
type hierarchyServer struct {
	*fakeServer
	hover     string
	hoverErr  error
	hierarchy func(doc adapter.Document, at adapter.Position, r adapter.Relation) ([]adapter.Related, bool, error)
}

func (s *hierarchyServer) Hover(context.Context, adapter.Document, adapter.Position) (string, error) {
	return s.hover, s.hoverErr
}

func (s *hierarchyServer) Hierarchy(_ context.Context, doc adapter.Document, at adapter.Position, r adapter.Relation) ([]adapter.Related, bool, error) {
	return s.hierarchy(doc, at, r)
}

func TestEditSymbol_Files(t *testing.T) {
	target := func(symbol string) editor.SymbolTarget { return editor.SymbolTarget{Symbol: symbol} }
	goText, tsText := symbolFiles["shape.go"], symbolFiles["web/a.ts"]
	for name, tt := range map[string]struct {
		do   func(t *testing.T, p project) (editor.EditSymbolResult, error)
		file string
		want string
		text string
	}{
		"insert before": {func(t *testing.T, p project) (editor.EditSymbolResult, error) {
			return p.InsertBeforeSymbol(t.Context(), editor.InsertSymbolArgs{SymbolTarget: target("Square/Area"), Content: "func (s *Square) Side() int { return s.side }\n"})
		}, "shape.go", strings.Replace(goText, "// Area returns", "func (s *Square) Side() int { return s.side }\n\n// Area returns", 1), "inserted before Square.Area, lines 13-13"},
		"insert after": {func(t *testing.T, p project) (editor.EditSymbolResult, error) {
			return p.InsertAfterSymbol(t.Context(), editor.InsertSymbolArgs{SymbolTarget: target("Button/draw"), Content: "erase() {\n  paint(3);\n}"})
		}, "web/a.ts", strings.Replace(tsText, "    paint(2);\n  }\n", "    paint(2);\n  }\n\n  erase() {\n    paint(3);\n  }\n", 1), "inserted after Button.draw, lines 10-12"},
		"replace": {func(t *testing.T, p project) (editor.EditSymbolResult, error) {
			return p.ReplaceSymbolBody(t.Context(), editor.ReplaceSymbolArgs{SymbolTarget: target("/Square/Area"), Body: "func (s *Square) Area() int {\n\treturn s.side * s.side\n}\n"})
		}, "shape.go", strings.Replace(goText, "double(s.side)", "s.side * s.side", 1), "replaced Square.Area, lines 14-16"},
		"replace by the same": {func(t *testing.T, p project) (editor.EditSymbolResult, error) {
			return p.ReplaceSymbolBody(t.Context(), editor.ReplaceSymbolArgs{SymbolTarget: target("double"), Body: "func double(n int) int { return 2 * n }"})
		}, "shape.go", goText, "unchanged: double"},
		"delete": {func(t *testing.T, p project) (editor.EditSymbolResult, error) {
			return p.DeleteSymbol(t.Context(), editor.DeleteSymbolArgs{SymbolTarget: target("unused")})
		}, "shape.go", strings.TrimSuffix(goText, "\nfunc unused() {}\n"), "by name, as no language server"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, withSymbols(t), symbolFiles)
			r := must[editor.EditSymbolResult](t)(tt.do(t, p))
			p.wantFile(t, tt.file, tt.want)
			if !strings.Contains(r.TextContent(), tt.text) {
				t.Errorf("text: %s", r.TextContent())
			}
		})
	}
}

func TestEditSymbol_Refused(t *testing.T) {
	p := newProject(t, withSymbols(t), symbolFiles)
	insert := func(symbol, content string) error {
		_, err := p.InsertAfterSymbol(t.Context(), editor.InsertSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: symbol}, Content: content})
		return err
	}
	replace := func(symbol, body string) error {
		_, err := p.ReplaceSymbolBody(t.Context(), editor.ReplaceSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: symbol}, Body: body})
		return err
	}
	remove := func(symbol string) error {
		_, err := p.DeleteSymbol(t.Context(), editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: symbol}})
		return err
	}
	for name, tt := range map[string]struct {
		err  error
		code string
		says string
	}{
		"ambiguous":        {insert("over", "x"), "AMBIGUOUS_SYMBOL", "over"},
		"unknown":          {insert("Triangle", "x"), "SYMBOL_NOT_FOUND", "Triangle"},
		"no content":       {insert("double", " \n"), "INVALID_PARAMS", "empty"},
		"no body":          {replace("double", ""), "INVALID_PARAMS", "empty"},
		"no name":          {remove(""), "INVALID_PARAMS", "name path"},
		"open bracket":     {replace("double", "func double(n int) int {"), "DOES_NOT_PARSE", "not closed"},
		"a swallowed one":  {replace("double", "func double(n int) int { return 1 }\n/*"), "DOES_NOT_PARSE", ""},
		"error in a group": {insert("/limit", "type Z int"), "DOES_NOT_PARSE", "the file no longer parses"},
		"uncertain bounds": {replace("broken", "func broken() {}"), "DOES_NOT_PARSE", "syntax error"},
		"used":             {remove("double"), "SYMBOL_IN_USE", "shape.go:15"},
		"used by name":     {remove("paint"), "SYMBOL_IN_USE", "a.ts:6"},
	} {
		t.Run(name, func(t *testing.T) {
			if codeOf(tt.err) != tt.code || !strings.Contains(tt.err.Error(), tt.says) {
				t.Errorf("%s: %v", codeOf(tt.err), tt.err)
			}
		})
	}
	for name, content := range symbolFiles {
		p.wantFile(t, name, content)
	}
}

// A body that has changed since the caller has read it is not replaced.
func TestReplaceSymbolBody_Stale(t *testing.T) {
	p := newProject(t, withSymbols(t), symbolFiles)
	ctx := tools.WithPeer(t.Context(), "a")
	if _, err := p.FindSymbol(ctx, editor.FindSymbolArgs{Symbol: "double", Body: true}); err != nil {
		t.Fatal(err)
	}
	replace := func(body string) error {
		_, err := p.ReplaceSymbolBody(ctx, editor.ReplaceSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "double"}, Body: body})
		return err
	}
	if err := replace("func double(n int) int { return n + n }"); err != nil {
		t.Fatal(err)
	}
	if err := replace("func double(n int) int { return n << 1 }"); err != nil {
		t.Errorf("after an own replacement: %v", err)
	}
	text := strings.Replace(symbolFiles["shape.go"], "2 * n", "n * 2", 1)
	p.put(t, "shape.go", text)
	if err := replace("func double(n int) int { return 0 }"); codeOf(err) != "STALE_FILE" {
		t.Errorf("after a change by another program: %v", err)
	}
	p.wantFile(t, "shape.go", text)
}

// Line ends and the encoding of a file stay.
func TestEditSymbol_LineEnds(t *testing.T) {
	text := strings.ReplaceAll(symbolFiles["shape.go"], "\n", "\r\n")
	p := newProject(t, withSymbols(t), map[string]string{"shape.go": text})
	call(t, p.InsertAfterSymbol, editor.InsertSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "double"}, Content: "func triple(n int) int {\n\treturn 3 * n\n}\n"})
	raw, err := os.ReadFile(p.path("shape.go"))
	if err != nil || strings.Count(string(raw), "\n") != strings.Count(string(raw), "\r\n") {
		t.Errorf("%q, %v", raw, err)
	}
	call(t, p.DeleteSymbol, editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "triple"}})
	p.wantFile(t, "shape.go", text)
}

// Unsaved text of an editor is found and changed in the editor.
func TestEditSymbol_UnsavedText(t *testing.T) {
	window := newFakeEditor()
	p := newProject(t, withSymbols(t, window), symbolFiles)
	window.addDocument(p.path("shape.go"), symbolFiles["shape.go"]+"\nfunc fresh() {}\n", true)
	r := call(t, p.ReplaceSymbolBody, editor.ReplaceSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "fresh", Path: "shape.go"}, Body: "func fresh() { unused() }"})
	if r.Editor != "fake" || r.Saved || !strings.HasSuffix(window.docs[p.path("shape.go")].Text, "func fresh() { unused() }\n") {
		t.Errorf("%+v", r)
	}
	p.wantFile(t, "shape.go", symbolFiles["shape.go"])
}

// A language server decides what uses a declaration.
func TestDeleteSymbol_LanguageServer(t *testing.T) {
	server := newFakeServer()
	p := newProject(t, withSymbols(t, server), symbolFiles)
	declaration := adapter.Location{Path: p.path("shape.go"), Range: span(18, 6, 12)}
	server.references = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{declaration, {Path: p.path("web/a.ts"), Range: span(1, 1, 2)}}, nil
	}
	remove := func() (editor.EditSymbolResult, error) {
		return p.DeleteSymbol(t.Context(), editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "double"}})
	}
	if _, err := remove(); codeOf(err) != "SYMBOL_IN_USE" || !strings.Contains(err.Error(), "web/a.ts:1") || strings.Contains(err.Error(), "by name") {
		t.Errorf("used: %v", err)
	}
	server.references = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return nil, context.DeadlineExceeded
	}
	p.wantFile(t, "shape.go", symbolFiles["shape.go"])
	server.references = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		p.put(t, "shape.go", symbolFiles["shape.go"]+"\nfunc more() {}\n")
		return []adapter.Location{declaration}, nil
	}
	if _, err := remove(); codeOf(err) != "STALE_FILE" {
		t.Errorf("changed meanwhile: %v", err)
	}
	server.references = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{declaration}, nil
	}
	if r, err := remove(); err != nil || strings.Contains(r.TextContent(), "by name") {
		t.Errorf("not used: %+v, %v", r, err)
	}
}

// Overloads and members of other types are no uses. Methods of interfaces are.
func TestDeleteSymbol_OtherDeclarations(t *testing.T) {
	files := map[string]string{
		"a.go": "package a\n\ntype A struct{}\n\nfunc (A) Run() {}\n\nfunc (A) Stop() {}\n\ntype B struct{}\n\nfunc (B) Run() {}\n\ntype Stopper interface {\n\tStop()\n}\n",
		"n.go": "package a\n\nfunc twice() {}\n\nvar _ = []func(){\n" + strings.Repeat("\ttwice,\n", 3001) + "}\n",
		"k.go": "package a\n\nconst (\n\tfirst = iota\n\tsecond\n)\n",
	}
	p := newProject(t, withSymbols(t), files)
	remove := func(symbol string) (editor.EditSymbolResult, error) {
		return p.DeleteSymbol(t.Context(), editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: symbol}})
	}
	if _, err := remove("A/Stop"); codeOf(err) != "SYMBOL_IN_USE" || !strings.Contains(err.Error(), "a.go:14") {
		t.Errorf("a method of an interface: %v", err)
	}
	if _, err := remove("twice"); codeOf(err) != "SYMBOL_IN_USE" || !strings.Contains(err.Error(), "at 3001 places") {
		t.Errorf("many uses: %v", err)
	}
	if _, err := remove("A/Run"); err != nil {
		t.Errorf("a method of another type: %v", err)
	}
	r, err := remove("first")
	if err != nil || !strings.Contains(r.TextContent(), "[_ stands in its place") {
		t.Errorf("%s, %v", r.TextContent(), err)
	}
	p.wantFile(t, "k.go", "package a\n\nconst (\n\t_ = iota\n\tsecond\n)\n")
}

func TestFindReferences_Symbols(t *testing.T) {
	server := newFakeServer()
	p := newProject(t, withSymbols(t, server), symbolFiles)
	r := call(t, p.FindReferences, editor.FindReferencesArgs{Target: editor.Target{Symbol: "double"}})
	want := "[by name only, no language server: may miss or include others]\n[2 references]\nshape.go\n in Square/Area\n  15:9 return double(s.side)\n in double\n  18:6 func double(n int) int { return 2 * n }\n"
	if got := r.TextContent(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	server.references = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{{Path: p.path("web/a.ts"), Range: span(6, 5, 10)}, {Path: p.path("notes.rst"), Range: span(1, 1, 6)}}, nil
	}
	r = call(t, p.FindReferences, editor.FindReferencesArgs{Target: editor.Target{Symbol: "paint"}})
	if got := r.TextContent(); got != "[2 references]\nnotes.rst\n  1:1 paint and double\nweb/a.ts\n in Button/draw\n  6:5 paint(1);\n" {
		t.Errorf("got:\n%s", got)
	}
}

func TestFindDefinition_ByName(t *testing.T) {
	p := newProject(t, withSymbols(t), symbolFiles)
	for _, target := range []editor.Target{{Symbol: "double"}, {Path: "shape.go", Line: 15, Symbol: "double"}} {
		r := call(t, p.FindDefinition, editor.FindDefinitionArgs{Target: target})
		if got := r.TextContent(); got != "[shape.go:18:6 (function)]\n18\tfunc double(n int) int { return 2 * n }\n[by name only, no language server: may miss or include others]\n" {
			t.Errorf("%+v:\n%s", target, got)
		}
	}
}

// A name path selects the symbol that a language server renames.
func TestRename_NamePath(t *testing.T) {
	server := newFakeServer()
	p := newProject(t, withSymbols(t, server), symbolFiles)
	server.rename = func(doc adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error) {
		if at != (adapter.Position{Line: 14, Column: 18}) {
			t.Errorf("position %v", at)
		}
		return []adapter.FileEdit{{Path: doc.Path, Edits: []adapter.TextEdit{{Range: span(14, 18, 22), NewText: name}}}}, nil
	}
	for _, symbol := range []string{"Square/Area", "/Square/Area", "shape.go#Square.Area", "(*Square).Area", "Square/Area[0]"} {
		r := call(t, p.Rename, editor.RenameArgs{Target: editor.Target{Symbol: symbol}, NewName: "Size"})
		if r.Locations != 1 || r.OldName != "Area" {
			t.Errorf("%s: %+v", symbol, r)
		}
	}
}

func TestFindHierarchy_ByName(t *testing.T) {
	p := newProject(t, withSymbols(t), symbolFiles)
	note := "[by name only, no language server: may miss or include others]\n"
	for name, tt := range map[string]struct {
		symbol, direction string
		depth             int
		want              string
	}{
		"callers":    {"double", "callers", 0, "[callers of shape.go#double: 1]\nshape.go#Square.Area [method, 14] calls in 15\n" + note},
		"callees":    {"Button/draw", "callees", 0, "[callees of web/a.ts#Button.draw: 1]\nweb/a.ts#paint [function, 11] calls in 6, 7\n" + note},
		"subtypes":   {"Base", "subtypes", 2, "[subtypes of web/a.ts#Base: 1]\nweb/a.ts#Button [class, 3]\n" + note},
		"supertypes": {"Button", "supertypes", 3, "[supertypes of web/a.ts#Button: 1]\nweb/a.ts#Base [class, 1]\n" + note},
	} {
		t.Run(name, func(t *testing.T) {
			r := call(t, p.FindHierarchy, editor.FindHierarchyArgs{Target: editor.Target{Symbol: tt.symbol}, Direction: tt.direction, Depth: tt.depth})
			if got := r.TextContent(); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
	for _, args := range []editor.FindHierarchyArgs{
		{Target: editor.Target{Symbol: "double"}, Direction: "up"}, {Target: editor.Target{Symbol: "double"}, Direction: "callers", Depth: 9},
	} {
		if _, err := p.FindHierarchy(t.Context(), args); codeOf(err) != "INVALID_PARAMS" {
			t.Errorf("%+v: %v", args, err)
		}
	}
}

func TestFindHierarchy_LanguageServer(t *testing.T) {
	server := &hierarchyServer{fakeServer: newFakeServer()}
	p := newProject(t, withSymbols(t, server), symbolFiles)
	area := adapter.Symbol{Name: "(*Square).Area", Kind: "method", Location: adapter.Location{Path: p.path("shape.go"), Range: span(14, 1, 5)}, Selection: span(14, 18, 22)}
	outside := adapter.Symbol{Name: "Println", Kind: "function", Location: adapter.Location{Path: "/usr/lib/go/fmt.go", Range: span(1, 1, 2)}, Selection: span(1, 1, 2)}
	server.hierarchy = func(_ adapter.Document, at adapter.Position, r adapter.Relation) ([]adapter.Related, bool, error) {
		if at.Line == 14 { // a cycle
			return []adapter.Related{{Symbol: area}}, true, nil
		}
		return []adapter.Related{{Symbol: area, Calls: []adapter.Range{span(15, 9, 15), span(15, 20, 26)}}, {Symbol: outside}}, true, nil
	}
	r := call(t, p.FindHierarchy, editor.FindHierarchyArgs{Target: editor.Target{Symbol: "double"}, Direction: "callers", Depth: 3})
	want := "[callers of shape.go#double: 2]\n/usr/lib/go/fmt.go#Println [function, 1]\nshape.go#Square.Area [method, 14] calls in 15\n  shape.go#Square.Area [method, 14]\n"
	if got := r.TextContent(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	server.hierarchy = func(adapter.Document, adapter.Position, adapter.Relation) ([]adapter.Related, bool, error) {
		return nil, false, nil
	}
	if _, err := p.FindHierarchy(t.Context(), editor.FindHierarchyArgs{Target: editor.Target{Symbol: "double"}, Direction: "subtypes"}); codeOf(err) != "SYMBOL_NOT_FOUND" {
		t.Errorf("no hierarchy: %v", err)
	}
}
