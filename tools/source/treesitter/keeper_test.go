package treesitter_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

var toys = []source.Language{source.Go, source.Java, source.Swift, source.Ruby}

func readToy(t *testing.T, p *treesitter.Parser, lang source.Language) {
	t.Helper()
	if _, err := p.Parse(t.Context(), []byte("a"), lang, source.Options{}); err != nil {
		t.Fatal(err)
	}
}

// sizeOfToy returns the memory of a toy grammar with one idle instance.
func sizeOfToy(t *testing.T) int {
	t.Helper()
	p := newToy(t, treesitter.Options{}, treesitter.Limits{}, source.Go)
	readToy(t, p, source.Go)
	return p.Held()[source.Go]
}

// TestKeeper_LeastRecentlyUsed checks that the keeper drops the least recently used grammars.
func TestKeeper_LeastRecentlyUsed(t *testing.T) {
	p := newToy(t, treesitter.Options{}, treesitter.Limits{KeepAll: 2*sizeOfToy(t) + 1}, toys...)
	var order []source.Language // of the last use
	for _, lang := range []source.Language{
		source.Go, source.Java, source.Go, source.Swift, source.Go, source.Ruby, source.Swift, source.Swift, source.Java, source.Go,
	} {
		readToy(t, p, lang)
		order = append(slices.DeleteFunc(order, func(l source.Language) bool { return l == lang }), lang)
		held := p.Held()
		for i, lang := range order {
			if _, ok := held[lang]; ok != (i >= len(order)-2) {
				t.Fatalf("used in the order %v, held are %v", order, held)
			}
		}
	}
}

// A grammar that is larger than all the room is there while it is used.
func TestKeeper_NoMemory(t *testing.T) {
	p := newToy(t, treesitter.Options{}, treesitter.Limits{KeepAll: 1}, toys...)
	for _, lang := range slices.Concat(toys, toys) {
		readToy(t, p, lang)
		if held := p.Held(); len(held) != 0 {
			t.Errorf("held are %v", held)
		}
	}
}

// A grammar is not dropped while it reads a text, be it the one used longest ago.
func TestKeeper_InUse(t *testing.T) {
	p := newToy(t, treesitter.Options{Instances: 1}, treesitter.Limits{KeepAll: 1, Time: 10 * time.Minute}, toys...)
	ctx, cancel := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	reading.Go(func() {
		if _, err := p.Parse(ctx, []byte(endless), source.Go, source.Options{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	await(t, func() bool { _, ok := p.Held()[source.Go]; return ok })
	for _, lang := range toys[1:] {
		readToy(t, p, lang)
		if held := p.Held(); len(held) != 1 || held[source.Go] == 0 {
			t.Errorf("held are %v", held)
		}
	}
	cancel()
	reading.Wait()
	if held := p.Held(); len(held) != 0 {
		t.Errorf("in the end, held are %v", held)
	}
}

// TestParser_Close_DuringParse checks that Close does not wait: a running Parse finishes, waiting and
// later calls fail, and the last one releases everything.
func TestParser_Close_DuringParse(t *testing.T) {
	p := newToy(t, treesitter.Options{Instances: 1}, treesitter.Limits{Time: 10 * time.Minute}, source.Go)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reading, waiting := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := p.Parse(ctx, []byte(endless), source.Go, source.Options{})
		reading <- err
	}()
	await(t, func() bool { return p.Held()[source.Go] > 0 })
	go func() {
		_, err := p.Parse(context.WithoutCancel(ctx), []byte("a"), source.Go, source.Options{})
		waiting <- err
	}()
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case err := <-reading:
		t.Errorf("the text under way ended with %v", err)
	default:
	}
	if len(p.Held()) != 1 {
		t.Error("the grammar is gone while it reads")
	}
	cancel()
	if err := <-reading; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-waiting; !errors.Is(err, treesitter.ErrClosed) {
		t.Error(err)
	}
	if held := p.Held(); len(held) != 0 {
		t.Errorf("held are %v", held)
	}
}

// Readers of many languages, with room for few grammars, and a Close amid them:
// every text is read as it should or not at all.
func TestParser_Close_Concurrent(t *testing.T) {
	texts := map[source.Language]string{
		source.Go: "package a\nfunc f() {}\n", source.Java: "class A { void f() {} }\n", source.C: "struct a { int b; };\nint f(void) { return 1; }\n",
	}
	dir := t.TempDir() // so that a grammar that was dropped is back soon
	p := treesitter.NewLimited(treesitter.Options{CacheDir: dir, Instances: 2}, treesitter.Limits{KeepAll: 6 << 20, Time: 10 * time.Minute})
	defer p.Close()
	want := map[source.Language]string{}
	for lang, src := range texts {
		f, err := p.Parse(t.Context(), []byte(src), lang, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want[lang] = foundIn(f)
	}
	const readers, rounds = 4, 8
	var all sync.WaitGroup
	for range readers {
		for lang, src := range texts {
			all.Go(func() {
				for range rounds {
					f, err := p.Parse(t.Context(), []byte(src), lang, source.Options{})
					if errors.Is(err, treesitter.ErrClosed) {
						return
					}
					if err != nil || foundIn(f) != want[lang] {
						t.Errorf("%s: %+v, %v", lang, f, err)
						return
					}
					if lang == source.C {
						return
					}
				}
				p.Close()
			})
		}
	}
	all.Wait()
	if held := p.Held(); len(held) != 0 {
		t.Errorf("held are %v", held)
	}
}

// gatedFiles opens a grammar only after gate is closed.
type gatedFiles struct {
	fs.FS
	gate chan struct{}
}

func (g gatedFiles) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "grammars/") {
		<-g.gate
	}
	return g.FS.Open(name)
}

// The end of a context ends the wait for the compilation of a grammar, which goes on. Close waits for it.
func TestParser_ContextEndsWhileCompiling(t *testing.T) {
	files := gatedFiles{toyFiles(t, source.Go, source.Ruby), make(chan struct{})}
	p := treesitter.NewWith(treesitter.Options{}, files, treesitter.Limits{}, source.Go, source.Ruby)
	for _, lang := range []source.Language{source.Go, source.Go, source.Ruby} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := p.Parse(ctx, []byte("a"), lang, source.Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", lang, err)
		}
	}
	close(files.gate)
	readToy(t, p, source.Go)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if held := p.Held(); len(held) != 0 {
		t.Errorf("held after Close: %v", held)
	}
	if _, err := p.Parse(t.Context(), []byte("a"), source.Ruby, source.Options{}); !errors.Is(err, treesitter.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
