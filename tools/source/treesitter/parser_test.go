package treesitter_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

func TestParser_Parse_Concurrent(t *testing.T) {
	p := treesitter.New(treesitter.Options{Instances: 2})
	defer p.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				f, err := p.Parse(t.Context(), []byte("package a\nfunc f() {}\n"), source.Go, source.Options{})
				if err != nil || len(f.Chunks) != 2 {
					t.Errorf("found %+v, %v", f, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestParser_Parse_CancelSlowText checks that a slow text ends with its context and does not affect other
// texts.
func TestParser_Parse_CancelSlowText(t *testing.T) {
	p := treesitter.New(treesitter.Options{})
	defer p.Close()
	if _, err := p.Parse(t.Context(), nil, source.Go, source.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"/*", "(", "x = 1; ", "+-*"} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		begun := time.Now()
		_, err := p.Parse(ctx, bytes.Repeat([]byte(piece), 4<<20/len(piece)), source.Go, source.Options{})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: %v", piece, err)
		}
		if spent := time.Since(begun); spent > 15*time.Second {
			t.Errorf("%q: ended after %v", piece, spent)
		}
	}
	if _, err := p.Parse(t.Context(), []byte("package a"), source.Go, source.Options{}); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	p := treesitter.New(treesitter.Options{})
	if _, err := p.Parse(t.Context(), nil, "cobol", source.Options{}); !errors.Is(err, source.ErrLanguage) {
		t.Error(err)
	}
	if _, err := p.Parse(t.Context(), make([]byte, source.MaxSource+1), source.Go, source.Options{}); !errors.Is(err, source.ErrTooLong) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Parse(t.Context(), nil, source.Go, source.Options{}); !errors.Is(err, treesitter.ErrClosed) {
		t.Error(err)
	}
}

// TestParser_CacheDir checks that a later process uses the cached code, and that an unusable
// directory does no harm.
func TestParser_CacheDir(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{filepath.Join(dir, "new"), filepath.Join(dir, "new"), file} {
		p := treesitter.New(treesitter.Options{CacheDir: cache})
		if f, err := p.Parse(t.Context(), []byte("package a"), source.Go, source.Options{}); err != nil || len(f.Chunks) != 1 {
			t.Errorf("%s: %+v, %v", cache, f, err)
		}
		p.Close()
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "new", "*", "*")); len(kept) == 0 {
		t.Error("nothing was kept")
	}
}

// TestChecksums compares the grammars with the checksums of the build script.
func TestChecksums(t *testing.T) {
	sums, err := os.ReadFile("grammars/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(sums)) {
		var want, name string
		if _, err := fmt.Sscan(line, &want, &name); err != nil {
			t.Fatal(err)
		}
		blob, err := os.ReadFile(filepath.Join("grammars", name))
		if got := fmt.Sprintf("%x", sha256.Sum256(blob)); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		listed[filepath.Base(name)] = true
	}
	modules, err := filepath.Glob("grammars/*.wasm.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range modules {
		if name := filepath.Base(file); !listed[name] {
			t.Errorf("%s has no checksum", name)
		}
	}
	if len(listed) != len(modules) || len(modules) < len(source.Languages()) {
		t.Errorf("%d checksums of %d modules", len(listed), len(modules))
	}
}
