package similar_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

const queue = `package q

import "sync"

// Push adds an item and wakes a waiting reader.
func (q *Queue) Push(item Item) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	if len(q.items) >= q.limit {
		return fmt.Errorf("queue %s is full: %d items", q.name, len(q.items))
	}
	q.items = append(q.items, item)
	q.ready.Signal()
	return nil
}

// Sum adds numbers.
func Sum(numbers []int, skip map[int]bool) (total int) {
	for i, n := range numbers {
		if skip[i] || n < 0 {
			continue
		}
		total += n * weight(i)
	}
	return total
}
`

const renamedQueue = `package store

func (s *Store) Add(entry Entry) error {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done { // the store is closed
		return ErrDone
	}

	if len(s.entries) >= s.most {
		return errors.New("no room in", s.title, len(s.entries))
	}
	s.entries = append(s.entries, entry)
	s.waiting.Signal()
	return nil
}
`

const other = `package other

func Walk(dir string, visit func(name string, entry fs.DirEntry) error) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		switch name := filepath.Join(dir, e.Name()); {
		case e.IsDir():
			err = errors.Join(err, Walk(name, visit))
		default:
			err = errors.Join(err, visit(name, e))
		}
	}
	return err
}
`

const script = `export function total(values: number[], left: Map<number, boolean>): number {
  let sum = 0
  for (const [i, value] of values.entries()) {
    if (left.get(i) || value < 0) continue
    sum += value * weightOf(i)
  }
  return sum
}
`

func small(t *testing.T) *memory {
	t.Helper()
	m, err := indexOf(map[string]string{"q/queue.go": queue, "store/store.go": renamedQueue, "other.go": other, "web/total.ts": script})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// summarize summarizes a result.
func summarize(found similar.Found) string {
	var b strings.Builder
	for _, h := range found.Hits {
		fmt.Fprintf(&b, "%s:%d-%d %s %.2f", h.File.Path, h.StartLine, h.EndLine, h.Piece.Name, h.Score)
		if h.Same {
			b.WriteString(" same")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// between returns the text from one text to the end of another.
func between(text, from, to string) string {
	start := strings.Index(text, from)
	return text[start : start+strings.Index(text[start:], to)+len(to)]
}

func TestFind(t *testing.T) {
	push := between(queue, "func (q *Queue) Push", "return nil\n}\n")
	sum := between(queue, "func Sum", "return total\n}\n")
	m := small(t)
	for name, c := range map[string]struct {
		query similar.Query
		want  string
	}{
		"a copy, and one with other names": {similar.Query{Code: []byte(push), Similarity: .7},
			"q/queue.go:6-18 Push 1.00 same\nstore/store.go:3-16 Add 0.95\n"},
		"a limit": {similar.Query{Code: []byte(push), Similarity: .7, Limit: 1},
			"q/queue.go:6-18 Push 1.00 same\n"},
		"only what is the same": {similar.Query{Code: []byte(push), Similarity: 1},
			"q/queue.go:6-18 Push 1.00 same\n"},
		"lines without the function around": {similar.Query{Code: []byte(between(renamedQueue, "if s.done", "Signal()")), Similarity: .8},
			"store/store.go:6-14 Add 1.00 same\nq/queue.go:9-16 Push 0.95\n"},
		"several functions": {similar.Query{Code: []byte(sum + "\n" + renamedQueue[strings.Index(renamedQueue, "func"):]), Similarity: .8},
			"store/store.go:3-16 Add 1.00 same\nq/queue.go:21-29 Sum 1.00 same\nq/queue.go:6-18 Push 0.95\n"},
		"in a language": {similar.Query{Code: []byte(script), Language: "typescript", Similarity: .5},
			"web/total.ts:1-8 total 1.00 same\n"},
		"only in files of another language": {similar.Query{Code: []byte(sum), Filter: index.Filter{Languages: []string{"rust"}}}, ""},
		"nothing like it":                   {similar.Query{Code: []byte("type A struct {\n\tb chan<- [4]C\n\td *E `json:\"f\"`\n\tg map[H][]I\n\tj, k, l interface{ M() }\n\tn func(O) (P, Q)\n}"), Similarity: .6}, ""},
		"a short line": {similar.Query{Code: []byte("total += n * weight(i)"), Similarity: .7},
			"q/queue.go:26-26 Sum 1.00 same\nweb/total.ts:5-5 total 0.94\n"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := similar.Find(t.Context(), m, m.read, c.query)
			if err != nil {
				t.Fatal(err)
			}
			if got := summarize(found); got != c.want {
				t.Errorf("found\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestFind_Result(t *testing.T) {
	m := small(t)
	code := "// two\n" + between(queue, "func Sum", "return total\n}\n")
	found, err := similar.Find(t.Context(), m, m.read, similar.Query{Code: []byte(code), Similarity: .9})
	if err != nil || len(found.Hits) != 1 {
		t.Fatal(found, err)
	}
	h := found.Hits[0]
	if got := queue[h.Span.Start:h.Span.End]; got+"\n" != code[7:] || string(h.Code) != got {
		t.Errorf("the place is %q with the lines %q", got, h.Code)
	}
	if got := code[h.Of.Start:h.Of.End]; got != strings.TrimSpace(code[7:]) {
		t.Errorf("like %q", got)
	}
	if found.Total != 1 || found.Compared == 0 || found.Unread != 0 || found.Short || found.Language != "go" {
		t.Errorf("told %+v", found)
	}
}

// Find compares the current content of a file that has changed since it was indexed.
func TestFind_ChangedFile(t *testing.T) {
	code := between(queue, "func Sum", "return total\n}\n")
	for name, c := range map[string]struct {
		now    string
		want   string
		unread int
	}{
		"lines above":     {strings.Replace(queue, "package q\n", "package q\n\nvar a, b = f(1), g[2]\n\nfunc h() { for { a(b) } }\n", 1), "q/queue.go:25-33 Sum 1.00 same\n", 0},
		"the code itself": {strings.Replace(queue, "weight(i)", "-weight(i*2)", 1), "q/queue.go:21-29 Sum 0.89\n", 0},
		"it is gone":      {queue[:strings.Index(queue, "// Sum")], "", 0},
		"no file":         {"", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := small(t)
			m.texts["q/queue.go"] = []byte(c.now)
			if c.now == "" {
				delete(m.texts, "q/queue.go")
			}
			found, err := similar.Find(t.Context(), m, m.read, similar.Query{Code: []byte(code), Similarity: .7, Language: "go"})
			if err != nil {
				t.Fatal(err)
			}
			if got := summarize(found); got != c.want || found.Unread != c.unread {
				t.Errorf("found, with %d files unread,\n%swant, with %d,\n%s", found.Unread, got, c.unread, c.want)
			}
		})
	}
}

// The time to read hostile code is proportional to its length. Short tests read less of it.
func TestFind_HostileCode(t *testing.T) {
	m := small(t)
	length := similar.MaxCode / 4
	if testing.Short() {
		length /= 32
	}
	for _, lang := range []string{"go", "typescript", "python", "ruby", "php", "kotlin", "swift", "csharp", "cpp", "rust", ""} {
		for _, one := range []string{"`${\"", "\"${'", "\"\\(\"", "\"#{`", "'", "/[", "%w[", "<<A\n", "<<<A\n", "a a\n", "a(", "{\n", "/*", "#\"", "@\"", "R\"(", "\"\"\"", "-- ", "<?"} {
			code := strings.Repeat(one, length/len(one))
			began := time.Now()
			_, err := similar.Find(t.Context(), m, m.read, similar.Query{Code: []byte(code), Language: lang})
			if err != nil && !errors.Is(err, similar.ErrNoCode) || time.Since(began) > 20*time.Second {
				t.Errorf("%q in %s: %v after %v", one, lang, err, time.Since(began))
			}
		}
	}
}

func TestFind_InvalidCode(t *testing.T) {
	m := small(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		code string
		want error
	}{
		"nothing":            {t.Context(), "", similar.ErrNoCode},
		"comments":           {t.Context(), "// nothing but this\n/* and this */", similar.ErrNoCode},
		"too much":           {t.Context(), strings.Repeat("x", similar.MaxCode+1), similar.ErrTooLong},
		"who has gone":       {canceled, queue, context.Canceled},
		"who has gone early": {canceled, "a b c d", context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := similar.Find(c.ctx, m, m.read, similar.Query{Code: []byte(c.code)}); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// Changed copies of real code are found, as the first hit or among equal ones.
func TestFind_ChangedCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes a part of the Go tree")
	}
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	m := newMemory()
	dirs := goTree(t, "net/http", "go/types", "encoding", "database", "os", "text", "image", "strconv", "compress")
	for _, dir := range dirs {
		for _, path := range filesOf(t, dir) {
			if src, err := os.ReadFile(path); err == nil && strings.HasSuffix(path, ".go") {
				if err := m.add(parsers, path, src); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	all := samplesOf(t, 200, dirs...)
	for _, c := range []struct {
		name  string
		apply func(code string, r *rand.Rand) string
		least int // minimum number of samples found, of 40
	}{
		{"nothing", func(code string, r *rand.Rand) string { return code }, 40},
		{"names", func(code string, r *rand.Rand) string { return renamed(code, "go", r, false) }, 37},
		{"a fifth of the lines", func(code string, r *rand.Rand) string { return removeLines(code, r, 5) }, 34},
		{"all but the middle", func(code string, r *rand.Rand) string { return middle(code) }, 37},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			again := 0
			began := time.Now()
			for n := 0; n < 40; {
				s := all[r.IntN(len(all))]
				code := c.apply(s.code, r)
				if similar.Prints([]byte(code), s.lang) == nil {
					continue
				}
				n++
				found, err := similar.Find(t.Context(), m, m.read, similar.Query{Code: []byte(code), Language: s.lang, Similarity: .6})
				if err != nil {
					t.Fatal(err)
				}
				if has(found.Hits, s) {
					again++
				}
			}
			t.Logf("%d of 40 were found again, in %v each", again, time.Since(began)/40)
			if again < c.least {
				t.Errorf("want %d", c.least)
			}
		})
	}
}

// has reports whether a sample is among the hits, or ten other hits have nearly its score.
func has(hits []similar.Hit, s sample) bool {
	for _, h := range hits {
		if h.File.Path == s.path && strings.Contains(s.code, strings.TrimSpace(string(h.Code))) || h.File.Path == s.path && strings.Contains(string(h.Code), s.code) {
			return true
		}
	}
	return len(hits) == 10 && hits[9].Score >= .93
}

// The queries of the interface suffice for Find.
var _ index.Index = (*memory)(nil)
