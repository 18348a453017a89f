package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/lsp"
)

func TestURI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for path, uri := range map[string]string{
		"/src/main.go":         "file:///src/main.go",
		"/a b/日本/50%.c":        "file:///a%20b/%E6%97%A5%E6%9C%AC/50%25.c",
		"/q?x#y/[z].ts":        "file:///q%3Fx%23y/%5Bz%5D.ts",
		"/":                    "file:///",
		"/c:/not/a/drive.here": "file:///c:/not/a/drive.here",
	} {
		if got := lsp.URI(path); got != uri {
			t.Errorf("%s is %s, want %s", path, got, uri)
		}
		if got, err := lsp.Path(uri); got != path || err != nil {
			t.Errorf("%s is %s, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"", "main.go", "http://x/y", "file://host/share", "untitled:Untitled-1", "jdt://contents/x", "file:x", "file:///a%00b", "file:///%zz", "file://localhost"} {
		if path, err := lsp.Path(uri); err == nil {
			t.Errorf("%q is %s", uri, path)
		}
	}
	if path, err := lsp.Path("file://localhost/a/../b/./c"); path != "/b/c" || err != nil {
		t.Errorf("%s, %v", path, err)
	}
}

func TestLocations_Forms(t *testing.T) {
	one := lsp.Location{URI: "file:///a", Range: lsp.Range{Start: lsp.Position{Line: 1, Character: 2}, End: lsp.Position{Line: 1, Character: 3}}}
	const plain = `{"uri":"file:///a","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}}}`
	const link = `{"targetUri":"file:///a","targetRange":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}},"targetSelectionRange":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}}}`
	for text, want := range map[string]lsp.Locations{
		"null": nil, "[]": {}, plain: {one}, "[" + plain + "]": {one}, "[" + link + "," + plain + "]": {one, one},
	} {
		var got lsp.Locations
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"1", `"x"`, `[1]`, `{"uri":1}`, `[{"uri":"x","range":{"start":{"line":-1}}}]`} {
		var got lsp.Locations
		if json.Unmarshal([]byte(text), &got) == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestTextEdit_Snippet(t *testing.T) {
	const where = `"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}`
	for text, fine := range map[string]bool{
		`{` + where + `,"newText":"x"}`:                                true,
		`{` + where + `,"newText":""}`:                                 true,
		`{` + where + `,"newText":"f($0)","insertTextFormat":2}`:       false,
		`{` + where + `,"snippet":{"kind":"snippet","value":"f($0)"}}`: false,
		`{` + where + `}`:                                              false,
		`{"newText":"x"}`:                                              false,
		`{"range":1,"newText":2}`:                                      false,
	} {
		var e lsp.TextEdit
		if err := json.Unmarshal([]byte(text), &e); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestDiagnostic_Raw(t *testing.T) {
	const text = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"code":2304,"message":{"kind":"markdown","value":"no"},"data":{"x":1}}`
	var d lsp.Diagnostic
	if err := json.Unmarshal([]byte(text), &d); err != nil || d.Code != "2304" || d.Message != "no" {
		t.Fatalf("%+v, %v", d, err)
	}
	if again, err := json.Marshal(d); err != nil || string(again) != text {
		t.Errorf("it is sent back as %s, %v", again, err)
	}
	d = lsp.Diagnostic{Code: "E1", Message: "m", Severity: 2}
	if again, err := json.Marshal(d); err != nil || string(again) != `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"severity":2,"code":"E1","message":"m"}` {
		t.Errorf("one that a client has sent is %s, %v", again, err)
	}
}

func TestCodeAction_Command(t *testing.T) {
	var a lsp.CodeAction
	if err := json.Unmarshal([]byte(`{"title":"Do","command":"do.it","arguments":[1]}`), &a); err != nil || a.Command == nil || a.Command.Command != "do.it" || len(a.Command.Arguments) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if err := json.Unmarshal([]byte(`{"title":"Do","kind":"quickfix","command":{"title":"x","command":"do.it"},"edit":null,"disabled":{"reason":"no"}}`), &a); err != nil || a.Command.Command != "do.it" || a.Edit != nil || !a.Disabled {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestWatches_Match(t *testing.T) {
	root := "/"
	if runtime.GOOS == "windows" {
		root = "C:/"
	}
	base, err := json.Marshal(lsp.URI(filepath.FromSlash(root + "p/[x]")))
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]bool{
		`{"globPattern":"**/*.{go,mod}"}`:                                                             true,
		`{"globPattern":"src/*.go"}`:                                                                  true,
		`{"globPattern":"**/*.ts"}`:                                                                   false,
		`{"globPattern":{"baseUri":` + string(base) + `,"pattern":"**/*.go"}}`:                        true,
		`{"globPattern":{"baseUri":{"uri":` + string(base) + `,"name":"x"},"pattern":"*.go"}}`:        false,
		`{"globPattern":{"baseUri":"file:///` + strings.TrimPrefix(root, "/") + `q","pattern":"**"}}`: false,
		`{"globPattern":"**/*.go","kind":1}`:                                                          false,
		`{"globPattern":"**/*.go","kind":2}`:                                                          true,
		`{"globPattern":"[**/*"}`:                                                                     true, // an unknown pattern matches all
		`{"globPattern":"{*,**,***,****,*****,******}/{a,b}/{c,d}/{e}"}`:                              true,
	} {
		watches := lsp.ParseWatches(json.RawMessage(`{"watchers":[` + pattern + `]}`))
		if got := lsp.Matches(watches, root+"p/[x]/src/main.go", "src/main.go", lsp.FileChanged); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
}

func TestSection(t *testing.T) {
	settings := map[string]any{"python.analysis": map[string]any{"mode": "off"}, "python.pythonPath": "/usr/bin/python3", "x": 1}
	for name, want := range map[string]any{
		"python.analysis":      map[string]any{"mode": "off"},
		"python.analysis.mode": "off",
		"python":               map[string]any{"analysis": map[string]any{"mode": "off"}, "pythonPath": "/usr/bin/python3"},
		"x":                    1,
		"x.y":                  nil,
		"none":                 nil,
	} {
		if got := lsp.Section(settings, name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
