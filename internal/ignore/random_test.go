package ignore_test

import (
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/ignore"
)

// TestRules_SameAsGitRandom compares rules and trees that are made of the same few pieces, so that they often meet.
// DOUGU_IGNORE_SAMPLES and DOUGU_IGNORE_SEED choose more of them, and others.
func TestRules_SameAsGitRandom(t *testing.T) {
	samples, err := strconv.Atoi(os.Getenv("DOUGU_IGNORE_SAMPLES"))
	if err != nil {
		samples = 40
		if testing.Short() {
			samples = 10
		}
	}
	seed, _ := strconv.ParseUint(os.Getenv("DOUGU_IGNORE_SEED"), 10, 64)
	g := startGit(t)
	for _, from := range []pieces{odd, dense} {
		random := rand.New(rand.NewPCG(seed, 1))
		decided := 0
		for range samples {
			decided += compare(t, g, sample{from.rules(random), from.tree(random)})
		}
		t.Logf("%d samples with %s: git has a rule for %d paths", samples, from.what, decided)
	}
}

// pieces are the parts of random names and patterns.
type pieces struct {
	what            string
	names, patterns []string
	begins, ends    []string // of lines
}

var (
	// odd has everything that means something somewhere.
	odd = pieces{
		what:  "odd names",
		names: oddNames,
		patterns: append([]string{
			"*", "*", "*", "**", "**", "***", "?", "/", "/", "/", "/", "**/", "/**", "/**/", "*.c", "\\*", "\\a", "\\ ", "\\/", "[ab]", "[a-f]", "[!a]", "[^b]", "[]a]",
			"[a-]", "[-a]", "[\\]a]", "[a\\-z]", "[[:alpha:]]", "[[:digit:]x]", "[[:space:]]", "[[:punct:]]", "[[:graph:]]", "[[:print:]]", "[[:cntrl:]]", "[[:blank:]]",
			"[[:upper:][:lower:]]", "[![:alnum:]]", "[[:nope:]]", "[[:]", "[[::]]", "[a[:]", "[z-a]", "[", "[a", "[[:alpha:]", "[[:alpha:]-z]", "[a-c-e]", "[\\", "[a-\\f]", "[/]", "[!/]",
		}, oddNames...),
		begins: []string{"", "", "", "", "", "", "", "!", "#", "/", " ", "\ufeff", "\x00", "\\!", "\\#"},
		ends:   []string{"\n", "\n", "\n", "/\n", "\r\n", " \n", "  \r\n", "\\ \n", "\\\n", "\t\n", "\x00x\n", "\n\n", "//\n", "\r\r\n"},
	}
	oddNames = []string{"a", "b", "ab", "foo", "x", ".", "-", "é", "\xff", " ", "\t", "[", "]", "*", "?", "\\", "!", "#", "A", "1", "\v", ":", "^", "~", "a.b", ".c", "\r"}
	// dense has few characters, so that stars find many ways.
	dense = pieces{
		what:     "few characters",
		names:    []string{"a", "a", "b", "ab", "."},
		patterns: []string{"a", "a", "b", "b", "?", "*", "*", "**", "/", "/", "/", "/**/", "**/", "[ab]", "[!a]", "*/", "ab", ".", "\\/"},
		begins:   []string{"", "", "", "!", "/", "**/"},
		ends:     []string{"\n", "\n", "/\n", "/**\n", "/*\n"},
	}
)

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

func (p pieces) rules(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(5) {
		b.WriteString(pick(random, p.begins))
		for range 1 + random.IntN(6) {
			b.WriteString(pick(random, p.patterns))
		}
		b.WriteString(pick(random, p.ends))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p pieces) tree(random *rand.Rand) []string {
	dirs := map[string]bool{} // whether a path is a directory
	for range 20 {
		var names []string
		for range 1 + random.IntN(5) {
			name := ""
			for range 1 + random.IntN(3) {
				name += pick(random, p.names)
			}
			names = append(names, strings.ReplaceAll(name, "..", "dots"))
		}
		addPath(dirs, strings.ReplaceAll("/"+strings.Join(names, "/")+"/", "/./", "/dot/"), random.IntN(3) == 0)
	}
	var tree []string
	for name, dir := range dirs {
		if dir {
			name += "/"
		}
		tree = append(tree, name)
	}
	slices.Sort(tree)
	return tree
}

// addPath adds a path to a tree, unless the tree has a file where the path has a directory.
func addPath(dirs map[string]bool, full string, dir bool) {
	full = path.Clean(strings.Trim(full, "/"))
	if _, known := dirs[full]; known || strings.HasPrefix(full, ".") {
		return
	}
	for parent := path.Dir(full); parent != "."; parent = path.Dir(parent) {
		if isDir, known := dirs[parent]; known && !isDir {
			return
		}
	}
	dirs[full] = dir
	for parent := path.Dir(full); parent != "."; parent = path.Dir(parent) {
		dirs[parent] = true
	}
}

// FuzzRules compares a file of rules and one path with git, and checks that nothing makes matching hang or panic.
func FuzzRules(f *testing.F) {
	for _, s := range manual {
		for _, name := range s.tree {
			f.Add(s.rules, name)
		}
	}
	g := startGit(f)
	f.Fuzz(func(t *testing.T, rules, name string) {
		parsed := ignore.Parse([]byte(rules))
		plain, dir := strings.CutSuffix(name, "/")
		verdict, _ := ignore.Line(parsed, plain, dir)
		if short := parsed.Match(plain, dir); short != verdict {
			t.Errorf("%q is %v by %q, but %v when every pattern is tried", name, short, rules, verdict)
		}
		if askable(rules, plain) {
			compare(t, g, sample{rules, []string{name}})
		}
	})
}

// askable reports whether a path can exist below a directory with a .gitignore, and whether git decides in finite time.
func askable(rules, name string) bool {
	for component := range strings.SplitSeq(name, "/") {
		if component == "" || component == "." || component == ".." || strings.EqualFold(component, ".git") || component == ".gitignore" || len(component) > 200 {
			return false
		}
	}
	if strings.Contains(name, "\x00") || len(name) > 1000 || len(rules) > 4096 {
		return false
	}
	for line := range strings.SplitSeq(rules, "\n") {
		if strings.Count(line, "*") > 12 {
			return false
		}
	}
	return true
}
