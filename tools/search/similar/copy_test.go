package similar_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// findsCopy fails unless code is found at its path, or the limit is full of equal results.
func findsCopy(t *testing.T, m *memory, path, code string) {
	t.Helper()
	const most = 50
	found, err := similar.Find(t.Context(), m, m.read, similar.Query{Code: []byte(code), Language: "go", Similarity: .7, Limit: most})
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, code)
	}
	same := 0
	for _, h := range found.Hits {
		if h.Same && h.File.Path == path {
			return
		}
		if h.Same {
			same++
		}
	}
	if same < most {
		t.Errorf("%s: not among %d hits of %d places, %d of which are the same:\n%s", path, found.Total, found.Compared, same, code)
	}
}

// Find finds a copy of any function.
func TestFind_Copies(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes a part of the Go tree")
	}
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	m := newMemory()
	dirs := goTree(t, "runtime", "unicode", "cmd/internal/obj/arm64")
	for _, dir := range dirs {
		for _, path := range filesOf(t, dir) {
			if src, err := os.ReadFile(path); err == nil && strings.HasSuffix(path, ".go") {
				if err := m.add(parsers, path, src); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	n := 0
	for i, s := range samplesOf(t, 150, dirs...) {
		if lines := strings.Count(s.code, "\n"); s.lang == "go" && 10 <= lines && lines <= 60 && i%41 == 0 {
			findsCopy(t, m, s.path, s.code)
			n++
		}
	}
	t.Logf("%d functions", n)
	if n < 30 {
		t.Error("too few")
	}
}

// Functions with many equal lines have few fingerprints, which are all equal.
func TestFind_RepeatedLines(t *testing.T) {
	if testing.Short() {
		t.Skip("compares hundreds of similar functions")
	}
	texts := map[string]string{}
	codes := map[string]string{}
	for n := range 200 {
		path := fmt.Sprintf("tables/t%03d.go", n)
		var b strings.Builder
		fmt.Fprintf(&b, "func init%d() {\n", n)
		for i := range 10 + n/4 {
			fmt.Fprintf(&b, "\tprint(\"r%d-%d \", hex(c.r%d), \"\\n\")\n", n, i, i)
		}
		b.WriteString("}\n")
		codes[path] = b.String()
		texts[path] = "package tables\n\n" + codes[path]
	}
	m, err := indexOf(texts)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 200; n += 39 {
		path := fmt.Sprintf("tables/t%03d.go", n)
		findsCopy(t, m, path, codes[path])
	}
}

// The estimate that decides whether two texts are compared is never below their score.
func TestCompare_Estimate(t *testing.T) {
	if testing.Short() {
		t.Skip("compares hundreds of functions")
	}
	all := samplesOf(t, 150, goTree(t, "net/http", "go/types", "encoding", "unicode")...)
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 600 {
		s := all[r.IntN(len(all))]
		code := s.code
		switch n % 6 {
		case 0:
			code = renamed(code, s.lang, r, false)
		case 1:
			code = removeLines(code, r, 5)
		case 2:
			code = middle(code)
		case 3:
			code = renamed(removeLines(code, r, 8), s.lang, r, false)
		case 4:
			code = all[r.IntN(len(all))].code
		}
		for _, pair := range [][2]string{{code, s.code}, {s.code, code}} {
			score, _ := similar.Compare([]byte(pair[0]), []byte(pair[1]), s.lang)
			if most := similar.AtMost([]byte(pair[0]), []byte(pair[1]), s.lang); score > most+.02 {
				t.Errorf("%.3f alike, thought to be %.3f at most:\n%s\n--\n%s", score, most, pair[0], pair[1])
			}
		}
	}
}
