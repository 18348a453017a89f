package ignore_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/ignore"
)

// sample is a .gitignore file and the tree below its directory. A path that ends in a slash is a directory. Parent
// directories of the paths belong to the tree.
type sample struct {
	rules string
	tree  []string
}

// decision is the verdict of git or of this package on a path.
type decision struct {
	verdict ignore.Verdict
	line    int // that decided; 0 if none did
}

// git is one process of git check-ignore, which is asked about one path after the other. Every sample has a directory of its
// own in one repository.
type git struct {
	top       string
	samples   int
	questions io.WriteCloser
	answers   *bufio.Reader
}

func startGit(t testing.TB) *git {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("git is not installed, or file names are restricted")
	}
	dir := t.TempDir()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
		cmd.Env = append(cmd.Env, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
		return cmd
	}
	if output, err := command("init", "-q", ".").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, output)
	}
	asking := command("check-ignore", "-v", "-n", "-z", "--no-index", "--stdin")
	questions, err := asking.StdinPipe()
	must(t, err)
	answers, err := asking.StdoutPipe()
	must(t, err)
	must(t, asking.Start())
	t.Cleanup(func() {
		asking.Process.Kill() // it may be busy: its own matching is exponential
		asking.Wait()
	})
	return &git{top: dir, questions: questions, answers: bufio.NewReader(answers)}
}

// decide lays a sample out and asks about every path of its tree.
func (g *git) decide(t testing.TB, s sample) []decision {
	t.Helper()
	g.samples++
	name := strconv.Itoa(g.samples)
	top := filepath.Join(g.top, name)
	must(t, os.Mkdir(top, 0o755))
	must(t, os.WriteFile(filepath.Join(top, ".gitignore"), []byte(s.rules), 0o644))
	for _, path := range s.tree {
		full := filepath.Join(top, path)
		if strings.HasSuffix(path, "/") {
			must(t, os.MkdirAll(full, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, nil, 0o644))
	}
	var decisions []decision
	for _, path := range s.tree {
		_, err := fmt.Fprintf(g.questions, "%s/%s\x00", name, strings.TrimSuffix(path, "/"))
		must(t, err)
		decisions = append(decisions, g.answer(t))
	}
	return decisions
}

// answer reads source, line, pattern and path, each with a NUL behind it.
func (g *git) answer(t testing.TB) decision {
	t.Helper()
	var fields [4]string
	for i := range fields {
		field, err := g.answers.ReadString(0)
		must(t, err)
		fields[i] = strings.TrimSuffix(field, "\x00")
	}
	if fields[0] == "" {
		return decision{}
	}
	line, err := strconv.Atoi(fields[1])
	must(t, err)
	if strings.HasPrefix(fields[2], "!") {
		return decision{ignore.Included, line}
	}
	return decision{ignore.Ignored, line}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// compare checks that this package decides as git does, by the same line, and that its short ways lead where trying every
// pattern in turn leads. It counts the paths for which there is a rule.
func compare(t testing.TB, g *git, s sample) (decided int) {
	t.Helper()
	rules := ignore.Parse([]byte(s.rules))
	for i, want := range g.decide(t, s) {
		path, dir := strings.CutSuffix(s.tree[i], "/")
		var got decision
		got.verdict, got.line = ignore.Line(rules, path, dir)
		if got != want {
			t.Errorf("%q (directory: %v) is %v by line %d of %q; git says %v by line %d", path, dir, got.verdict, got.line, s.rules, want.verdict, want.line)
		}
		if short := rules.Match(path, dir); short != got.verdict {
			t.Errorf("%q (directory: %v) is %v by %q, but %v by its line %d", path, dir, short, s.rules, got.verdict, got.line)
		}
		if want.line > 0 {
			decided++
		}
	}
	return decided
}

// TestRules_SameAsGit compares cases of gitignore(5), and cases that the manual does not define, with git.
func TestRules_SameAsGit(t *testing.T) {
	g := startGit(t)
	for _, s := range manual {
		compare(t, g, s)
	}
}
