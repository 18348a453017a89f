package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
	"github.com/dougu-go/dougu/tools/grep"
)

// TestRun searches the sources of package grep, whose tests contain many scripts. A line that only one of both finds is an error of
// the run.
func TestRun(t *testing.T) {
	t.Parallel()
	out := drivertest.Run(run).Output(t, "-rounds", "1", "-source", "../../tools/grep")
	var rows []string
	for _, k := range kinds() {
		for _, pattern := range k.patterns {
			rows = append(rows, regexp.QuoteMeta("| "+k.name+" | `"+strings.ReplaceAll(pattern, "|", `\|`)+"` |")+` [0-9]+ \| [0-9]+ \|`)
		}
		rows = append(rows, regexp.QuoteMeta("| "+k.name+" | ")+"[0-9]+ \\|")
	}
	drivertest.Rows(t, out, rows...)
}

func TestRun_Arguments(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-rounds", "0"}, []string{"more"}, []string{"-unknown"}, []string{"-source", "testdata/none"})
}

// TestFloor compares floor with package regexp on each line, and with package grep.
func TestFloor(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", "\n", "todo", "a todo\r\nb\r\nTODO", "one\rtodo\rthree\n", "\r", "x\r\r\ntodo\n", "\xff todo \xe4\n世界\n日\n",
		"ſtop at 5\u212A\nstop at 5k\nSTOP\n", "panic(1)\nrecover()\n\n\npanic", "func (s *S) Close() {\n}\nfunc (s S) close()\n",
		"aaab\nab\nb\n", "0123456789abcdef0\n2026-11-28\n", "ABCdEFG\n ... \nx y z\n",
	}
	patterns := []string{
		`stop`, `(?i)stop`, `(?i)5k`, `^$`, `$`, `todo$`, `^(?:todo|b)`, `(?:ab)+`, `a?b`, `a*b`, `[ab]b`, `(?i)TO[dt]o`, `(?i)[s]top`, `(?i:T)odo`, `x{0}`, `.`, `日|世界`, `\x{FFFD}`,
	}
	for _, k := range kinds() {
		patterns = append(patterns, k.patterns...)
	}
	for _, pattern := range patterns {
		f, err := newFloor(pattern)
		if err != nil {
			t.Fatal(err)
		}
		m, err := grep.Compile(pattern, grep.Options{Case: grep.Sensitive})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			var got, ours []position
			f.lines([]byte(text), func(number, start, end int) { got = append(got, position{number, start, end}) })
			if want := eachLine(regexp.MustCompile(pattern), text); !slices.Equal(got, want) {
				t.Errorf("%s in %q: %v, want %v", pattern, text, got, want)
			}
			for hit := range m.Lines([]byte(text)) {
				ours = append(ours, position{hit.Line, hit.Start, hit.End})
			}
			ascii := !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
			if !slices.Equal(got, ours) && (ascii || !readsUnicode(pattern)) {
				t.Errorf("%s in %q: %v, of package grep %v", pattern, text, got, ours)
			}
		}
	}
}

// eachLine finds lines by matching each.
func eachLine(re *regexp.Regexp, text string) (found []position) {
	for start, number := 0, 1; start < len(text); number++ {
		end, next := len(text), len(text)
		if n := strings.IndexAny(text[start:], "\r\n"); n >= 0 {
			end, next = start+n, start+n+1
			if strings.HasPrefix(text[end:], "\r\n") {
				next++
			}
		}
		if re.MatchString(text[start:end]) {
			found = append(found, position{number, start, end})
		}
		start = next
	}
	return found
}

func TestLiterals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		want    []string
		whole   bool
	}{
		{`ServeHTTP`, []string{"ServeHTTP"}, true},
		{`panic\(|recover\(`, []string{"panic(", "recover("}, true},
		{`(?i)todo|fixme`, []string{"todo", "fixme"}, true},
		{`Read[er]`, []string{"Reade", "Readr"}, true},
		{`^import \(`, []string{"import ("}, false},
		{`[A-Z][a-z]+Error\b`, []string{"Error"}, false},
		{`x+abc(d|e)?`, []string{"abcd", "abce", "abc"}, false},
		{`[0-9a-f]{16,}`, nil, false},
		{`foo|[0-9]+`, nil, false},
		{`(?i)é`, nil, false},
		{`世界`, []string{"世界"}, true},
	} {
		f, err := newFloor(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, literal := range f.literals {
			got = append(got, string(literal))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || f.whole != c.whole {
			t.Errorf("%s: %q, %v, want %q, %v", c.pattern, got, f.whole, c.want, c.whole)
		}
	}
}
