//go:build unix

package emacs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/emacs"
)

// Invalid responses of Emacs are errors.
func TestDocument_InvalidResponses(t *testing.T) {
	says := func(value string) string { return `-dougu {"value":` + value + "}\n" }
	document := `{"buffer":"f","tick":3,"text":"one\n","ending":"\n","dirty":true,"editable":true}`
	for name, c := range map[string]struct{ answer, want string }{
		"garbage":               {"\x00\xff\n-what\n\n", "not running"},
		"no JSON":               {"-dougu {\n", "decode JSON"},
		"of another kind":       {says(`[1]`), "decode the result"},
		"no version":            {says(`{"buffer":"f","text":"x","ending":"\n"}`), "without a version"},
		"no line ends":          {says(`{"buffer":"f","tick":1,"text":"x","ending":"x"}`), "line ends"},
		"an error":              {"-error out&_of&_&&_luck\n", "out of &"}, // "&&" is one "&"
		"an error without end":  {"-error no", "returned an error: no"},
		"a fault":               {`-dougu {"fault":"error","message":"no &_way"}` + "\n", "returned an error: no &_way"},
		"nothing but its value": {"-print nil&n\n", "interrupted"},
		"always unknown":        {"-print dougu-unknown&n\n", "program"},
		"the end":               {"", "not running"},
	} {
		t.Run(name, func(t *testing.T) {
			f := pretend(t, func(string, string) string { return c.answer })
			if _, _, err := f.Document(f.ctx, "/p/f"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	f := pretend(t, func(question, _ string) string {
		switch question {
		case "document", "edit":
			return says(document)
		case "active":
			return says(`{"open":true,"path":"relative","tick":-4,"cursor":[-1,0]}`)
		case "diagnostics":
			return says(`{"items":[{"path":"/p/f","start":[4,0],"stop":[1,0]}],"covered":["/p/f"],"fresh":true}`)
		}
		return "-error what\n"
	})
	if doc, open, err := f.Document(f.ctx, "/p/f"); err != nil || !open || doc.Text != "one\n" {
		t.Fatalf("%+v, %v, %v", doc, open, err)
	}
	if _, err := f.Edit(f.ctx, "/p/f", 2, nil, false); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("of another version: %v", err)
	}
	if _, err := f.Edit(f.ctx, "/p/f", 3, []adapter.TextEdit{{Range: between(9, 1, 9, 2)}}, false); err == nil {
		t.Error("an edit behind the end")
	}
	if _, _, err := f.Active(f.ctx); err == nil || !strings.Contains(err.Error(), "impossible position") {
		t.Errorf("active: %v", err)
	}
	if _, err := f.Diagnose(f.ctx, []string{"/p/f"}); err == nil || !strings.Contains(err.Error(), "impossible position") {
		t.Errorf("diagnostics: %v", err)
	}
	if err := f.Open(f.ctx, "/p/f", nil, false); err == nil || !strings.Contains(err.Error(), "what") {
		t.Errorf("open: %v", err)
	}
}

func TestDocument_ContextEnds(t *testing.T) {
	block := make(chan struct{})
	f := pretend(t, func(string, string) string {
		<-block
		return ""
	})
	defer close(block)
	ctx, cancel := context.WithCancelCause(f.ctx)
	time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("enough")) })
	if _, _, err := f.Document(ctx, "/p/f"); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("%v", err)
	}
}

func TestConnect_OldEmacs(t *testing.T) {
	f := pretendAnything(t, func(string, string) string { return `-dougu {"value":{"version":"26.3"}}` + "\n" })
	e := emacs.New(emacs.Options{Server: f.socket})
	defer e.Close(context.Background())
	eventually(t, "it is refused", func() bool { return strings.Contains(e.State().Detail, `"26.3" is not supported`) })
}

// A server file that other users can write is ignored.
func TestSearch_WritableServerFile(t *testing.T) {
	key := strings.Repeat("k", 64)
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"that others can write": {"127.0.0.1:9 1\n" + key, 0o666},
		"elsewhere":             {"192.0.2.1:9 1\n" + key, 0o600},
		"without a key":         {"127.0.0.1:9 1\n", 0o600},
		"of nothing":            {"", 0o600},
		"of a name":             {"localhost:9 1\n" + key, 0o600},
		"with a blank key":      {"127.0.0.1:9 1\nkey key " + key, 0o600},
	} {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "server")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		e := emacs.New(emacs.Options{Server: path})
		if _, _, err := e.Document(t.Context(), "/p/f"); !errors.Is(err, adapter.ErrNotRunning) {
			t.Errorf("%s: %v", name, err)
		}
		if s := e.State(); !strings.HasPrefix(s.Detail, "no Emacs has the server") {
			t.Errorf("%s: %+v", name, s)
		}
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
