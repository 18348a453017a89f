package treesitter_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// TestParser_Parse_Trap checks that a failure in a grammar is an error of one text, and that a fresh
// instance parses the next text.
func TestParser_Parse_Trap(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      string
	}{
		{"a trap", traps, "the grammar failed"},
		{"no memory", exhausts, treesitter.ErrMemory.Error()},
		{"too many results", tooMany, "the grammar failed"},
		{"results outside of the memory", farAway, "the grammar failed"},
		{"a place outside of the text", outside, "the grammar failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newToy(t, treesitter.Options{Instances: 1}, treesitter.Limits{}, source.Go)
			for range 3 {
				_, err := p.Parse(t.Context(), []byte(c.src), source.Go, source.Options{})
				if err == nil || !strings.HasPrefix(err.Error(), "parsing go: "+c.want) {
					t.Fatalf("%v", err)
				}
				if _, err := p.Parse(t.Context(), []byte("a"), source.Go, source.Options{}); err != nil {
					t.Fatalf("after it: %v", err)
				}
			}
		})
	}
}

func TestErrTime(t *testing.T) {
	p := newToy(t, treesitter.Options{Instances: 1}, treesitter.Limits{Time: 10 * time.Millisecond}, source.Go)
	_, err := p.Parse(t.Context(), []byte(endless), source.Go, source.Options{})
	if busy := errors.Is(err, source.ErrBusy); !busy && (!errors.Is(err, treesitter.ErrTime) || !errors.Is(err, source.ErrTooComplex)) {
		t.Error(err)
	}
}

// A tree that grows beyond the memory ends the text in time, whatever it was that
// needed so much.
func TestErrMemory(t *testing.T) {
	p := treesitter.NewLimited(treesitter.Options{Instances: 1}, treesitter.Limits{Memory: 8 << 20, Time: 10 * time.Minute})
	defer p.Close()
	for _, piece := range []string{"x = 1; ", "f(", "func f() {}\n", "/**/\n"} {
		src := "package a\n" + strings.Repeat(piece, 4<<20/len(piece))
		_, err := p.Parse(t.Context(), []byte(src), source.Go, source.Options{})
		if !errors.Is(err, treesitter.ErrMemory) || !errors.Is(err, source.ErrTooComplex) {
			t.Errorf("%q: %v", piece, err)
		}
		if f, err := p.Parse(t.Context(), []byte("package a\nfunc f() {}\n"), source.Go, source.Options{}); err != nil || len(f.Chunks) != 2 {
			t.Errorf("after %q: %+v, %v", piece, f, err)
		}
	}
	// Not even the text has room.
	if _, err := p.Parse(t.Context(), make([]byte, 12<<20), source.Go, source.Options{}); !errors.Is(err, treesitter.ErrMemory) {
		t.Error(err)
	}
}

// TestParser_Parse_Cancel checks that the end of the context ends calls in a grammar and
// calls that wait for an instance.
func TestParser_Parse_Cancel(t *testing.T) {
	p := newToy(t, treesitter.Options{Instances: 1}, treesitter.Limits{Time: 10 * time.Minute}, source.Go)
	ctx, cancel := context.WithCancel(t.Context())
	within := make(chan error, 1)
	go func() {
		_, err := p.Parse(ctx, []byte(endless), source.Go, source.Options{})
		within <- err
	}()
	await(t, func() bool { return p.Running(source.Go) == 1 })

	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := p.Parse(ended, []byte("a"), source.Go, source.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("while waiting: %v", err)
	}
	cancel()
	if err := <-within; !errors.Is(err, context.Canceled) {
		t.Errorf("within: %v", err)
	}
	if _, err := p.Parse(t.Context(), []byte("a"), source.Go, source.Options{}); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// TestParser_Parse_CancelBeforeBuild checks that no File is made of the matches after the end of the
// context.
func TestParser_Parse_CancelBeforeBuild(t *testing.T) {
	p := grammarsOf(t)
	for extension, lang := range hardLanguages {
		_, src := hard(t, extension)
		found, err := p.Find(t.Context(), src, lang)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := found.Build(ctx, src); err != nil {
			t.Errorf("%s: %v", lang, err)
		}
		cancel()
		if f, err := found.Build(ctx, src); !errors.Is(err, context.Canceled) || f != nil {
			t.Errorf("%s: %+v, %v", lang, f, err)
		}
	}
}

// A grammar whose memory is spoiled may answer anything: it is a File or an
// error, whatever it says.
func TestParser_Parse_InvalidMatches(t *testing.T) {
	p := grammarsOf(t)
	for extension, lang := range hardLanguages {
		_, src := hard(t, extension)
		found, err := p.Find(t.Context(), src, lang)
		if err != nil {
			t.Fatal(err)
		}
		right := [][]uint32{found.Declarations, found.Calls}
		random, files := rand.New(rand.NewPCG(1, 2)), 0
		for range 2000 {
			for which, answer := range []*[]uint32{&found.Declarations, &found.Calls} {
				*answer = append([]uint32(nil), right[which]...)
				for range 1 + random.IntN(4) {
					if n := len(*answer); n > 0 {
						(*answer)[random.IntN(n)] = spoiled(random, len(src))
					}
				}
			}
			f, err := found.Build(t.Context(), src)
			if (f == nil) == (err == nil) {
				t.Fatalf("%s: %+v, %v", lang, f, err)
			}
			if f != nil {
				files++
			}
		}
		if files == 0 {
			t.Errorf("%s: every answer was refused", lang)
		}
	}
}

// Nodes that are within each other, each in the other, are no reason to go round
// for ever.
func TestParser_Parse_DeepNodes(t *testing.T) {
	p := newToy(t, treesitter.Options{}, treesitter.Limits{}, source.Go)
	src := []byte("def names")
	found, err := p.Find(t.Context(), src, source.Go)
	if err != nil {
		t.Fatal(err)
	}
	// Matches of the toy's query: the number of the pattern, that of the captures, and
	// of each its index, its node, its start and its end.
	declared := []uint32{0, 2, 0, 1, 4, 9, 1, 2, 0, 9}
	wider := []uint32{1, 2, 2, 2, 0, 9, 3, 3, 0, 8}
	narrower := []uint32{1, 2, 2, 3, 0, 8, 3, 2, 0, 9}
	found.Declarations = slices.Concat(declared, narrower)
	if f, err := found.Build(t.Context(), src); err != nil || len(f.Chunks) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	found.Declarations = slices.Concat(declared, wider, narrower)
	if f, err := found.Build(t.Context(), src); err == nil {
		t.Errorf("%+v", f)
	}
}

// spoiled is an integer that may stand for anything.
func spoiled(random *rand.Rand, size int) uint32 {
	switch random.IntN(4) {
	case 0:
		return random.Uint32()
	case 1:
		return uint32(random.IntN(20))
	default:
		return uint32(random.IntN(size + 1))
	}
}

// Many comments in one line do not take more than their number.
func TestParser_Parse_CommentsInOneLine(t *testing.T) {
	p := treesitter.NewLimited(treesitter.Options{}, treesitter.Limits{Time: 10 * time.Minute})
	defer p.Close()
	src := []byte("package a\nvar x int" + strings.Repeat("/**/", 300_000) + "\n")
	found, err := p.Find(t.Context(), src, source.Go)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // it takes a tenth of a second
	defer cancel()
	if _, err := found.Build(ctx, src); err != nil {
		t.Error(err)
	}
}

// await waits until something is so.
func await(t *testing.T, so func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !so(); runtime.Gosched() {
		if time.Now().After(until) {
			t.Fatal("it does not happen")
		}
	}
}
