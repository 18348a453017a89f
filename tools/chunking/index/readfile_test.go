package index_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

func TestReadFile(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n", "noext": "func n\n", "binary.go": "\x00", ".env": "func secret\n"})
	if err := os.Symlink("a.go", p.path("link.go")); err != nil {
		t.Fatal(err)
	}
	var parsed atomic.Int64
	x := p.index(index.Options{Parsers: source.NewParsers(toy{parsing: func([]byte) { parsed.Add(1) }})})
	p.analyze(x, ".", index.AnalyzeOptions{})
	fresh := func(path string, lang source.Language, want string, wantParsed int64) *index.File {
		t.Helper()
		parsed.Store(0)
		f, content, err := x.ReadFile(p.Context(), path, lang)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if string(content) != want || f.Hash != sha256.Sum256(content) || f.Size != int64(len(content)) {
			t.Errorf("%s: %q is described as %+v", path, content, f)
		}
		if parsed.Load() != wantParsed {
			t.Errorf("%s was parsed %d times, want %d", path, parsed.Load(), wantParsed)
		}
		return f
	}
	indexed, _ := x.Lookup("a.go")
	if f := fresh("a.go", "", "func a\n", 0); f != indexed {
		t.Error("what is indexed is not used")
	}
	fresh(p.path("a.go"), "", "func a\n", 0)
	if f := fresh("link.go", "", "func a\n", 0); f.Path != "a.go" {
		t.Errorf("a link leads to %s", f.Path)
	}
	p.writeNow("a.go", "func a2\n")
	fresh("a.go", "", "func a2\n", 1)
	if f, _ := x.Lookup("a.go"); f.Symbol(0).Name != "a2" {
		t.Error("the index has not learned of the change")
	}
	fresh("a.go", "", "func a2\n", 0)
	if f := fresh("a.go", source.Python, "func a2\n", 1); f.Language != source.Python {
		t.Errorf("read as %s", f.Language)
	}
	if f, _ := x.Lookup("a.go"); f.Language != source.Go {
		t.Error("another language has entered the index")
	}
	p.write("new.go", "func new\n")
	fresh("new.go", "", "func new\n", 1)
	if _, ok := x.Lookup("new.go"); ok {
		t.Error("a file that no analysis found has entered the index")
	}
	fresh("noext", source.Ruby, "func n\n", 1)

	failures := []struct {
		path string
		lang source.Language
		want error
		code security.Code
	}{
		{"noext", "", source.ErrLanguage, ""},
		{"a.go", "klingon", source.ErrLanguage, ""},
		{"binary.go", "", source.ErrBinary, ""},
		{".env", source.Go, nil, security.PermissionDenied},
		{"nothing.go", "", nil, security.FileNotFound},
		{".", "", nil, security.IsDirectory},
	}
	for _, f := range failures {
		_, _, err := x.ReadFile(p.Context(), f.path, f.lang)
		if err == nil || f.want != nil && !errors.Is(err, f.want) || f.code != "" && security.CodeOf(err) != f.code {
			t.Errorf("%s as %q: %v", f.path, f.lang, err)
		}
	}
	p.remove("a.go")
	if _, _, err := x.ReadFile(p.Context(), "a.go", ""); security.CodeOf(err) != security.FileNotFound {
		t.Errorf("a removed file: %v", err)
	}
	if _, ok := x.Lookup("a.go"); ok {
		t.Error("the index has not learned that the file is gone")
	}
}

// TestReadFile_ConcurrentWrites checks that entry and bytes agree while a file is
// written, or that there is an error.
func TestReadFile_ConcurrentWrites(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	stop := make(chan struct{})
	var writers group.Group
	writers.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				// Less than a page, which systems write all at once: half a name is no name.
				_ = os.WriteFile(p.path("a.go"), []byte(strings.Repeat("func "+strings.Repeat("x", i%9+1)+"\n", i%270+1)), 0o600)
			}
		}
	})
	deadline := time.Now().Add(300 * time.Millisecond)
	for time.Now().Before(deadline) {
		f, content, err := x.ReadFile(p.Context(), "a.go", "")
		if errors.Is(err, index.ErrChanging) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Hash != sha256.Sum256(content) || f.Len() != bytes.Count(content, []byte("func ")) {
			t.Fatalf("%d chunks in %q", f.Len(), content)
		}
	}
	close(stop)
	writers.Wait()
	p.write("a.go", "func last\n")
	if f, _, err := x.ReadFile(p.Context(), "a.go", ""); err != nil || f.Symbol(0).Name != "last" {
		t.Errorf("%+v: %v", f, err)
	}
}
