package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
	"github.com/dougu-go/dougu/bench/search/queries"
)

var programs = drivertest.Programs{Modules: map[string]string{"..": "./search"}}

func TestMain(m *testing.M) { programs.Main(m) }

// small returns a few files with queries of each shape.
func small(t *testing.T) (*bench, *tree, []*queries.Query) {
	t.Helper()
	all, err := queries.Read(os.DirFS("testdata"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.FromSlash("testdata/small"))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := cut(t.Context(), "small", dir)
	if err != nil {
		t.Fatal(err)
	}
	var asked []*queries.Query
	for i := range all {
		asked = append(asked, &all[i])
	}
	return &bench{stdout: io.Discard, stderr: io.Discard, dir: t.TempDir()}, tr, asked
}

// The answer of each query is the first result, and every system finds most answers.
func TestOrder(t *testing.T) {
	t.Parallel()
	b, tr, asked := small(t)
	for _, q := range asked {
		if _, err := queries.InPieces(q, tr.file); err != nil {
			t.Error(err)
		}
	}
	for _, s := range systems() {
		if _, err := exec.LookPath("rg"); s.files && err != nil {
			continue
		}
		scores, err := b.ask(t.Context(), s, tr, asked)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if len(scores) != len(asked) {
			t.Errorf("%s answered %d of %d queries", s.name, len(scores), len(asked))
		}
		if mean(scores) < 0.3 {
			t.Errorf("%s has only %.2f of what there is to find", s.name, mean(scores))
		}
		for _, one := range scores {
			if s.name == "ours" && one.ndcg != 1 {
				t.Errorf("%q: what answers it is not the first result: %.3f", one.query.Text, one.ndcg)
			}
		}
	}
}

// The labels of the Go tree exist in the installed Go sources. Other repositories are downloaded; -parts labels checks them.
func TestSpeed(t *testing.T) {
	t.Parallel()
	out := drivertest.Run(run).Output(t, "-program", filepath.Join(programs.Dir(t), "search"), "-parts", "speed", "-rounds", "1", "-files", "30")
	drivertest.Rows(t, out, `\| ours: .* \| [0-9]+ \|`, `\| bleve, pieces: .* \| [0-9]+ \|`, `\| bleve, files: .* \| [0-9]+ \|`,
		`\| a query, ours, ordered \| [0-9]+ \|`, `\| similar code of a function `, `\| one file has changed: found \| [0-9]+ \|`)
}

// TestFTS5 checks that all engines find the same files and the changes: a wrong result is an error of the run.
func TestFTS5(t *testing.T) {
	t.Parallel()
	out := drivertest.Run(run).Output(t, "-program", filepath.Join(programs.Dir(t), "search"), "-parts", "fts5", "-rounds", "1", "-files", "8", "-repositories", "go")
	var rows []string
	for _, name := range []string{"ours", "fts5", "fts5-ranked"} {
		rows = append(rows, `\| `+name+`: .* \| [0-9]+ \|`)
		for _, what := range []string{"a name", "four words of a comment", "files with a part of a name", "one file has changed"} {
			rows = append(rows, `\| `+what+` \| [0-9]+ \| `+name+` \|`)
		}
	}
	drivertest.Rows(t, out, rows...)
}

// TestShort searches Japanese texts. Trigrams find none with one or two characters.
func TestShort(t *testing.T) {
	t.Parallel()
	b, tr, _ := small(t)
	var out strings.Builder
	b.stdout = &out
	if err := b.short(t.Context(), tr); err != nil {
		t.Fatal(err)
	}
	drivertest.Rows(t, out.String(), `\| 1 \| small \| 58 \| 58 \| 58 \| 0 \| 58 \| 0 \|`, `\| 2 \| small \| 63 \| 63 \| 63 \| 0 \| 63 \| 0 \|`,
		`\| 3 \| small \| 58 \| 58 \| 58 \| 58 \| 58 \| 58 \|`)
}

func TestTrigramWords(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"how is x.Do opened?": {"how", "x.Do", "opened"}, "検索する": {"検索す", "索する"}, "検索 語": nil, "a_b": {"a_b"},
	} {
		if got := trigramWords(query); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestCodeWords(t *testing.T) {
	t.Parallel()
	var words []string
	for w := range codeWords("parseHTTPHeaders(max_values) // 検索する parsing 束") {
		words = append(words, w)
	}
	const want = "parsehttpheaders pars http header max_values max valu 検索 索す する pars 束"
	if got := strings.Join(words, " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTree_Candidates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const content = "package a\n\n// ReadLockedFile reads a file that another process may hold locked.\nfunc ReadLockedFile(name string) error {\n" +
		"\treturn fmt.Errorf(\"file %s is locked by another process\", name)\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := cut(t.Context(), "a", dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range tr.candidates() {
		got = append(got, c.kind+": "+c.text)
	}
	want := []string{
		"documented: // ReadLockedFile reads a file that another process may hold locked.",
		"error-message: file eth0 is locked by another process",
		"identifier-part: LockedFile", "identifier-part: ReadLocked", "symbol: ReadLockedFile",
	}
	for i := range got {
		if strings.HasPrefix(got[i], "error-message: file ") { // the value in place of %s does not matter
			got[i] = want[1]
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A missed bar is printed and counted.
func TestReportKinds_MissedBar(t *testing.T) {
	t.Parallel()
	all, err := queries.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	b := &bench{stdout: &out, check: true, systems: []system{{name: "ours"}, {name: baseline}}}
	scores := map[string][]score{}
	for i := range all {
		if q := &all[i]; q.HasEvidence() && q.Half() == "test" {
			one := score{query: q, inFiles: 1}
			if q.Shape == "other-words" {
				one.inFiles = 0.5
			}
			scores["ours"] = append(scores["ours"], one)
			scores[baseline] = append(scores[baseline], score{query: q, inFiles: 0.5})
		}
	}
	b.reportKinds("test", scores)
	if b.missed != 2 {
		t.Errorf("%d bars are missed, want 2:\n%s", b.missed, out.String())
	}
	drivertest.Rows(t, out.String(), `\| other-words: at least 0\.58 \| 0\.500 \| FAIL \|`, `\| japanese: at least 0\.78 \| 1\.000 \| pass \|`)
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-parts", "all"}, []string{"-rounds", "0"}, []string{"-half", "both"}, []string{"-systems", "lucene"},
		[]string{"-repositories", "linux"}, []string{"more"}, []string{"-index", "lucene"})
}

func TestPlainWords(t *testing.T) {
	t.Parallel()
	var words []string
	for w := range plainWords("func (s *Server) Do_it(x) // 検索する サーバー2台") {
		words = append(words, w)
	}
	if got, want := strings.Join(words, " "), "func s server do_it x 検 索 す る サーバー2 台"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
