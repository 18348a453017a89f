package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// programs are the measured programs.
var programs = drivertest.Programs{Modules: map[string]string{"../..": "./examples/chunks", "..": "./chunks/outline"}}

func TestMain(m *testing.M) { programs.Main(m) }

// measure runs parts of the benchmark with small sizes. Without corpora of other packages only the sources of Go are used.
func measure(t *testing.T, parts string, more ...string) string {
	t.Helper()
	args := append([]string{"-programs", programs.Dir(t), "-parts", parts, "-rounds", "1", "-calls", "24", "-generated", "2", "-files", "20"}, more...)
	return drivertest.Run(run).Output(t, args...)
}

// Both servers solve all available tasks.
func TestEconomy(t *testing.T) {
	t.Parallel()
	_, err := os.Stat(filepath.FromSlash("../../internal/test/e2e/node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"))
	testrequire.Thing(t, err == nil, "the reference server", "npm ci --prefix internal/test/e2e/node --ignore-scripts")
	out := measure(t, "economy")
	drivertest.Rows(t, out, "\\| net/http \\| `parseRange` \\| fs.go \\| ", "\\| net/http, Go \\| 6 \\|", "\\| `get_chunk` \\|", "\\| `read_text_file` \\|")
	runs := regexp.MustCompile(`(?m)^solved: (\d+) and (\d+) of (\d+) tasks`).FindAllStringSubmatch(out, -1)
	if len(runs) != 2 {
		t.Errorf("there are not two runs:\n%s", out)
	}
	for _, m := range runs {
		if m[1] != m[3] || m[2] != m[3] {
			t.Errorf("not all tasks are solved:\n%s", out)
		}
	}
}

// edit_chunk solves all available tasks, with the shortest old texts and with those of the tasks.
func TestPrice(t *testing.T) {
	t.Parallel()
	out := measure(t, "price")
	drivertest.Rows(t, out, `\| net/http \| 6 \| [0-9]+ \| [0-9]+ \| [0-9.]+ \|`, `\| replace_function_chunk \| [0-9]+ \| [0-9]+ \|`)
	m := regexp.MustCompile(`(?m)^solved: (\d+) and (\d+) of (\d+) tasks; edit_chunk`).FindStringSubmatch(out)
	if m == nil || m[1] != m[3] || m[2] != m[3] {
		t.Errorf("not all tasks are solved:\n%s", out)
	}
}

func TestSpeed(t *testing.T) {
	t.Parallel()
	out := measure(t, "speed")
	drivertest.Rows(t, out, `\| Go \(GOROOT/src\) \| 20 \| [0-9.]+ \| scanner \|`, `\| Go \(GOROOT/src\) \| 20 \| [0-9.]+ \| index, again \|`)
	if _, err := exec.LookPath("ctags"); err == nil {
		drivertest.Rows(t, out, `\| Go \(GOROOT/src\) \| 20 \| [0-9.]+ \| ctags \|`)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	drivertest.Rows(t, measure(t, "calls"),
		`\| search_symbols \| in process \| 24 \|`, `\| get_chunk \| stdio \| 24 \|`, `\| one file has changed \| in process \| 3 \|`,
		`\| start, and search_symbols \| stdio \| 3 \|`, `\| after reading all files again \| [0-9]`)
}

// A function that is replaced by itself keeps its file, and another parser agrees with the checks of random edits.
func TestEdits(t *testing.T) {
	t.Parallel()
	out := measure(t, "edits", "-languages", "go", "-functions", "40", "-edit-every", "4")
	drivertest.Rows(t, out, `\| go \| GOROOT/src \| [0-9]+ \| [0-9]{2,} \| [0-9]+ \| 0 \| [0-9]+ \| [0-9]+ \| [0-9]+ \| 0 \| 0 \| go/parser \| pass \|`)
}

// A text that a later edit repairs does not change the cached result of the text before.
func TestLastParsed_Changed(t *testing.T) {
	t.Parallel()
	p := &lastParsed{Parsers: source.NewParsers(outline.Parser{})}
	src := []byte("package p\n\nfunc f() {}\n")
	first, err := p.Parse(t.Context(), src, source.Go, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first.Chunks[0].Name, first.Problems = "other", append(first.Problems, source.Problem{Line: 1})
	again, err := p.Parse(t.Context(), src, source.Go, source.Options{})
	if err != nil || again.Chunks[0].Name != "p" || len(again.Problems) > 0 {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestRandomEdit_Kinds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const code = "func f() {\n\tcall(one, 12)\n}"
	seen := map[string]bool{}
	for range 300 {
		if old, changed, ok := randomEdit(random, source.Go, code); ok {
			if !strings.Contains(code, old) || old == changed {
				t.Errorf("%q by %q", old, changed)
			}
			seen[changed] = true
		}
	}
	for _, want := range []string{"\t// checked\n\tcall(one, 12)", "\tcall(one, 12)\n\tcall(one, 12)", "call(one, 712)", "callOther(one, 12)", "callone, 12)"} {
		if !seen[want] {
			t.Errorf("no edit makes %q", want)
		}
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cpu.prof")
	measure(t, "speed", "-profile", file)
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("there is no profile: %v", err)
	}
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-parts", "all"}, []string{"-rounds", "0"}, []string{"-generated", "-1"}, []string{"more"}, []string{"-unknown"})
}

// The written tasks of all available repositories fit their files, and their result is the file with one change.
func TestStories_MatchSources(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{stderr: t.Output(), generated: 3, goroot: strings.TrimSpace(string(root))}
	for _, r := range repositories() {
		if err := r.load(b); err != nil {
			t.Logf("%v", err)
			continue
		}
		tasks, places, err := b.tasksOf(r, byName)
		if err != nil {
			t.Fatal(err)
		}
		if len(tasks) < 6 || len(places) < 100 {
			t.Errorf("%s has %d tasks, and %d places for more", r.name, len(tasks), len(places))
		}
		for _, task := range tasks {
			if want := strings.Replace(task.src, task.old, task.new, 1); task.want() != want || want == task.src {
				t.Errorf("%s: %s: what it asks for is not the file with the change", r.name, task.story)
			}
		}
		again, _, err := b.tasksOf(r, byName)
		if err != nil || len(again) != len(tasks) || again[len(again)-1] != tasks[len(tasks)-1] {
			t.Errorf("%s: other tasks the second time: %v", r.name, err)
		}
	}
}

// A wrong edit, or one in another file, does not solve a task.
func TestSolve_WrongEdit(t *testing.T) {
	t.Parallel()
	const before = "package a\n\nfunc one() int { return 1 }\n"
	do := func(after string) func(*worker, task) error {
		return func(w *worker, t task) error { return os.WriteFile(filepath.Join(w.dir, t.file), []byte(after), 0o644) }
	}
	for _, c := range []struct {
		name, after string
		solved      bool
	}{
		{"right", "package a\n\nfunc one() int { return 2 }\n", true},
		{"not done", before, false},
		{"more than that", "package a\n\nfunc one() int { return 2 }\n\n", false},
	} {
		w := &worker{dir: t.TempDir()}
		set := task{file: "a.go", old: "return 1", new: "return 2", src: before}
		_, err := w.solve(set, do(c.after))
		if (err == nil) != c.solved {
			t.Errorf("%s: %v", c.name, err)
		}
		if after, err := os.ReadFile(filepath.Join(w.dir, "a.go")); c.solved && (err != nil || string(after) != before) {
			t.Errorf("%s: the file is not as it was: %q, %v", c.name, after, err)
		}
	}
	if _, err := (&worker{}).solve(task{}, func(*worker, task) error { return errors.New("no") }); err == nil {
		t.Error("a way that failed has solved the task")
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"shouldCopyHeaderOnRedirect": "shouldCopy", "ParseHTTPVersion": "ParseHTTPV", "encode": "encode", "doFrame": "doFrame", "a_b_c": "a_b",
	} {
		if got := part(name); got != want {
			t.Errorf("part of %s is %s, want %s", name, got, want)
		}
	}
}

func TestStores(t *testing.T) {
	t.Parallel()
	const time = `[0-9.]+[mµ]?s \([^|]*\)`
	row := strings.Repeat(` \| `+time, 5) + ` \| [0-9]+ KB \|`
	drivertest.Rows(t, measure(t, "stores"), `\| JSON`+row, `\| SQLite`+row)
}
