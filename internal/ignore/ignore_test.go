package ignore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/ignore"
)

func ExampleRules_Match() {
	rules := ignore.Parse([]byte("*.log\n!keep.log\n/build/\n"))
	fmt.Println(rules.Match("a/x.log", false))
	fmt.Println(rules.Match("a/keep.log", false))
	fmt.Println(rules.Match("build/keep.log", false)) // the content of an ignored directory stays ignored
	fmt.Println(rules.Match("main.go", false))
	// Output:
	// ignored
	// included
	// ignored
	// undecided
}

// TestStack joins rules of nested directories. The innermost matching rules decide.
func TestStack(t *testing.T) {
	var none *ignore.Stack
	top := none.Push("", ignore.Parse([]byte("excluded\n*.log\n"))).Push("", ignore.Parse([]byte("!excluded\n/dist\nlib/*.js\n")))
	lib := top.Push("lib", ignore.Parse([]byte("!a.js\n/dist\n*.md\n")))
	deep := lib.Push("lib/deep", ignore.Parse([]byte("# nothing\n"))).Push("lib/deep", ignore.Parse([]byte("!x.md\n/y\n")))
	tests := []struct {
		stack        *ignore.Stack
		parent, name string
		dir          bool
		want         ignore.Verdict
	}{
		{none, "", "a.log", false, ignore.Undecided},
		{top, "", "a.log", false, ignore.Ignored},
		{top, "", "excluded", false, ignore.Included}, // by the rules that were pushed later
		{top, "", "dist", true, ignore.Ignored},
		{top, "src", "dist", true, ignore.Undecided},
		{top, "lib", "a.js", false, ignore.Ignored},
		{lib, "lib", "a.js", false, ignore.Included},
		{lib, "lib", "b.js", false, ignore.Ignored},
		{lib, "lib/src", "b.js", false, ignore.Undecided},
		{lib, "lib", "dist", true, ignore.Ignored},
		{lib, "lib/src", "dist", true, ignore.Undecided},
		{lib, "lib/src", "x.md", false, ignore.Ignored},
		{deep, "lib/deep", "x.md", false, ignore.Included},
		{deep, "lib/deep/er", "x.md", false, ignore.Included},
		{deep, "lib/deep", "y", false, ignore.Ignored},
		{deep, "lib/deep/er", "y", false, ignore.Undecided},
		{deep, "lib/deep", "x.log", false, ignore.Ignored},
	}
	for _, tt := range tests {
		if got := tt.stack.Match(tt.parent, tt.name, tt.dir); got != tt.want {
			t.Errorf("%q in %q is %v, want %v", tt.name, tt.parent, got, tt.want)
		}
	}
}

// TestMatch_HostileRules gives patterns and paths to matchers that go back and forth. Most of these would outlast the test if the
// time were not bounded by the lengths of both, also with the lengths of short tests.
func TestMatch_HostileRules(t *testing.T) {
	part := 1
	if testing.Short() {
		part = 5
	}
	stars := strings.Repeat("*a", 1000) + "b"
	tests := []struct{ pattern, path string }{
		{stars, strings.Repeat("a", 255)},
		{"x/" + stars, "x/" + strings.Repeat("a", 255)},
		{"**/" + stars, strings.Repeat("a/", 2000/part) + strings.Repeat("a", 95)},
		{strings.Repeat("**/", 1000/part) + "b", strings.Repeat("a/", 2000/part) + "a"},
		{strings.Repeat("**/a/", 700/part) + "b", strings.Repeat("a/", 2000/part) + "a"},
		{strings.Repeat("*/", 1900/part) + "b", strings.Repeat("a/", 1900/part) + "a"},
		{strings.Repeat("**/*a*a*a*/", 300/part) + "b", strings.Repeat("aaaaaaaaaaaaaaa/", 250/part) + "a"},
		{strings.Repeat("[a-z]*", 600/part) + "[!a-z]", strings.Repeat("a", 255)},
		{strings.Repeat("?*", 1000/part) + "b", strings.Repeat("a", 255)},
		{strings.Repeat(`**\/`, 900/part), strings.Repeat("a/", 2000/part) + "a"},
		{"[" + strings.Repeat("[:alpha:]", 400) + "]*[", strings.Repeat("a", 255)},
		{strings.Repeat("*", 4000) + "b", strings.Repeat("a", 255)},
		{strings.Repeat("a", 4096) + "*", strings.Repeat("a", 255)},
	}
	start := time.Now()
	for _, tt := range tests {
		rules := ignore.Parse([]byte(tt.pattern))
		if got := rules.Match(tt.path, false); got != ignore.Undecided {
			t.Errorf("%.40q matches %.40q", tt.pattern, tt.path)
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestParse_Limits drops patterns beyond the limits.
func TestParse_Limits(t *testing.T) {
	long := strings.Repeat("a", 4096)
	rules := ignore.Parse([]byte(long + "\n" + long + "a\n" + strings.Repeat("*\n", 60_000)))
	if n := ignore.Len(rules); n != 50_000 {
		t.Errorf("%d patterns were taken", n)
	}
	rules = ignore.Parse([]byte(long + "\n" + long + "a\n"))
	if !rules.Empty() && rules.Match(long, false) != ignore.Ignored || rules.Match(long+"a", false) != ignore.Undecided {
		t.Error("a pattern of 4096 bytes is not taken, or one of 4097 is")
	}
	var none *ignore.Rules
	if !none.Empty() || !ignore.Parse(nil).Empty() || none.Match("a", false) != ignore.Undecided {
		t.Error("no rules decide")
	}
}

// Usual rules of a project in several languages.
const usual = `# dependencies
node_modules/
/vendor/
*.log
*.tmp
*.o
*.a
*.so
*.pyc
__pycache__/
.DS_Store
/build/
/dist
.idea/
*.swp
*~
!important.log
docs/_build/
coverage.*
[Bb]in/
**/target/debug/**
`

// BenchmarkStack decides on an entry by usual rules, of which none, a name, an ending or a glob matches.
func BenchmarkStack(b *testing.B) {
	var stack *ignore.Stack
	stack = stack.Push("", ignore.Parse([]byte(usual))).Push("src/app", ignore.Parse([]byte("*.gen.go\n/local\n")))
	for _, name := range []string{"handler_test.go", "node_modules", "x.pyc", "Bin"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				stack.Match("src/app/internal", name, true)
			}
		})
	}
}
