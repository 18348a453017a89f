package grep_test

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/grep"
)

// isWord reports whether a character is a word character of ripgrep: Alphabetic, M, Nd, Pc and Join_Control of Unicode.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.In(r, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

// unicodeReference matches a pattern with Unicode classes and conditions by backtracking. Classes are replaced with private
// characters.
type unicodeReference struct{ prog *syntax.Prog }

// Classes in test patterns, by their private characters. Bracketed classes are listed completely.
var testClasses = []struct {
	text string
	mark rune
	has  func(rune) bool
}{
	{`[\s\w]`, '\U0010FA01', func(r rune) bool { return isWord(r) || unicode.IsSpace(r) }},
	{`[^\w-z]`, '\U0010FA02', func(r rune) bool { return !isWord(r) && r != '-' }},
	{`[^\W\d]`, '\U0010FA03', func(r rune) bool { return isWord(r) && !unicode.Is(unicode.Nd, r) }},
	{`\w`, '\U0010FA04', isWord}, {`\W`, '\U0010FA05', func(r rune) bool { return !isWord(r) }},
	{`\d`, '\U0010FA06', func(r rune) bool { return unicode.Is(unicode.Nd, r) }}, {`\D`, '\U0010FA07', func(r rune) bool { return !unicode.Is(unicode.Nd, r) }},
	{`\s`, '\U0010FA08', unicode.IsSpace}, {`\S`, '\U0010FA09', func(r rune) bool { return !unicode.IsSpace(r) }},
}

func newUnicodeReference(pattern string) (*unicodeReference, error) {
	for _, c := range testClasses {
		// In a group the parser does not merge it with the characters of other alternatives.
		pattern = strings.ReplaceAll(pattern, c.text, "((?-i:"+string(c.mark)+"))")
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	return &unicodeReference{prog}, err
}

func (u *unicodeReference) reads(inst *syntax.Inst, r rune) bool {
	switch inst.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	for _, c := range testClasses {
		if len(inst.Rune) > 0 && len(inst.Rune) < 40 && inst.MatchRune(c.mark) && c.has(r) && !inst.MatchRune(c.mark+0x100) {
			return true
		}
	}
	return inst.MatchRune(r)
}

// find is FindIndex starting at an offset.
func (u *unicodeReference) find(text string, from int) []int {
	for start := from; start <= len(text); {
		seen := make(map[[2]int]bool)
		var match func(pc, at int) int
		match = func(pc, at int) int {
			if seen[[2]int{pc, at}] {
				return -1
			}
			seen[[2]int{pc, at}] = true
			switch inst := &u.prog.Inst[pc]; inst.Op {
			case syntax.InstMatch:
				return at
			case syntax.InstFail:
			case syntax.InstAlt, syntax.InstAltMatch:
				if end := match(int(inst.Out), at); end >= 0 {
					return end
				}
				return match(int(inst.Arg), at)
			case syntax.InstCapture, syntax.InstNop:
				return match(int(inst.Out), at)
			case syntax.InstEmptyWidth:
				if syntax.EmptyOp(inst.Arg)&^conditions(text, at) == 0 {
					return match(int(inst.Out), at)
				}
			default:
				if r, size := utf8.DecodeRuneInString(text[at:]); size > 0 && u.reads(inst, r) {
					return match(int(inst.Out), at+size)
				}
			}
			return -1
		}
		if end := match(u.prog.Start, start); end >= 0 {
			return []int{start, end}
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		start += max(size, 1)
	}
	return nil
}

func conditions(text string, at int) syntax.EmptyOp {
	before, behind := rune(-1), rune(-1)
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(text[:at])
	}
	if at < len(text) {
		behind, _ = utf8.DecodeRuneInString(text[at:])
	}
	const words = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	look := syntax.EmptyOpContext(before, behind) &^ words
	if isWord(before) != isWord(behind) {
		return look | syntax.EmptyWordBoundary
	}
	return look | syntax.EmptyNoWordBoundary
}

func (u *unicodeReference) FindStringIndex(text string) []int { return u.find(text, 0) }

// FindAllStringIndex finds all matches, as package regexp does.
func (u *unicodeReference) FindAllStringIndex(text string, _ int) (all [][]int) {
	for at, end := 0, -1; at <= len(text); {
		found := u.find(text, at)
		if found == nil {
			break
		}
		abuts := found[0] == found[1] && found[0] == end
		if end = found[1]; end > at {
			at = end
		} else {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += max(size, 1)
		}
		if !abuts {
			all = append(all, found)
		}
	}
	return all
}

// finds is the result of reference.
type finds interface {
	FindStringIndex(string) []int
	FindAllStringIndex(string, int) [][]int
}

var readsUnicode = regexp.MustCompile(`\\[wWdDsSbB]`)

// TestUnicodeClasses counts lines by patterns whose classes and word boundaries are those of Unicode, as ripgrep does.
func TestUnicodeClasses(t *testing.T) {
	const text = "un café noir\ncafé\ncaféine\ndécafé\nnaïve 日本語です\n１２３ ٤٥ 12\nх = привет_мир\na\u3000b\nnotre-dame\n"
	for pattern, want := range map[string][]int{
		`\bcafé\b`:        {1, 2},
		`\bcafé\B`:        {3},
		`\Bcafé`:          {4},
		`^\w+$`:           {2, 3, 4},
		`\bпривет\b`:      nil,
		`\bпривет_мир\b`:  {7},
		`\w+_\w+`:         {7},
		`^\d+`:            {6},
		`\d{3}`:           {6},
		`[^\d\s]`:         {1, 2, 3, 4, 5, 7, 8, 9},
		`a\sb`:            {8},
		`^[\w]+\W[\w]+$`:  {5, 8, 9},
		`\b日本語\b`:         nil,
		`\b日本語です\b`:       {5},
		`(?i)\bCAFÉ\b`:    {1, 2},
		`[0-9]{2}`:        {6},
		`na.ve\b`:         {5},
		`\w{4}\b`:         {1, 2, 3, 4, 5, 7, 9},
		`[[:word:]]{5}`:   {9},
		`^[a-zA-Z0-9_]+$`: nil,
		`caf(é|e)(\W|\z)`: {1, 2, 4},
		`\Q\w\E`:          nil,
	} {
		m, err := grep.Compile(pattern, grep.Options{Case: grep.Sensitive})
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		var got []int
		for hit := range m.Lines([]byte(text)) {
			got = append(got, hit.Line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: lines %v, want %v", pattern, got, want)
		}
	}
}

// TestUnicodeClasses_LargeCounts compiles counts for which no machine beyond ASCII is made.
func TestUnicodeClasses_LargeCounts(t *testing.T) {
	m, err := grep.Compile(`\b\w{250}\b`, grep.Options{Case: grep.Sensitive})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("é", 250) + "\n" + strings.Repeat("e", 250) + "\n" + strings.Repeat("é", 251) + "\n"
	if got := m.Count([]byte(text)); got != 2 {
		t.Errorf("%d lines", got)
	}
}

// TestUnicodeClasses_Multiline finds matches over several lines.
func TestUnicodeClasses_Multiline(t *testing.T) {
	m, err := grep.Compile(`\bfin\b\s+\bété\b`, grep.Options{Case: grep.Sensitive, Multiline: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := spans(m, []byte("enfin\nété\nfin\n\u3000été\nfin étés\n")); len(got) != 1 || got[0].Line != 3 || got[0].Lines != 2 {
		t.Errorf("found %v", got)
	}
}

// TestUnicodeClasses_ConditionsAlone checks patterns that only contain conditions on words: each line beyond ASCII may match.
func TestUnicodeClasses_ConditionsAlone(t *testing.T) {
	text := []byte("\u212Aé\u212A\n  \nжук\n\n日本\n")
	for pattern, want := range map[string][]int{`\b`: {1, 3, 5}, `\B`: {1, 2, 3, 4, 5}, `\b|x*`: {1, 2, 3, 4, 5}, `x*\b`: {1, 3, 5}, `\b\B`: nil, `(\b|\B)`: {1, 2, 3, 4, 5}} {
		m, err := grep.Compile(pattern, grep.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var lines []int
		for match := range m.Lines(text) {
			lines = append(lines, match.Line)
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s is in the lines %v, want %v", pattern, lines, want)
		}
	}
}

// TestUnicodeClasses_ASCII checks that classes in ASCII texts equal those of package regexp, in any case.
func TestUnicodeClasses_ASCII(t *testing.T) {
	for _, class := range []string{`\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `[\d]`, `[^\d]`, `[^\D]`, `[\s,]`, `[^\S]`, `[^\W]`} {
		for _, letterCase := range []grep.Case{grep.Sensitive, grep.Insensitive} {
			m, err := grep.Compile(class, grep.Options{Case: letterCase})
			if err != nil {
				t.Fatal(err)
			}
			want := regexp.MustCompile(class)
			for c := byte(' '); c < utf8.RuneSelf; c++ {
				if text := []byte{c}; m.Match(text) != want.Match(text) {
					t.Errorf("%s, case %v: %q is found: %v", class, letterCase, c, m.Match(text))
				}
			}
			for _, text := range []string{"\u212A", "ſ"} {
				if isWord := class == `\w` || class == `[^\W]` || class == `\D` || class == `\S` || class == `[^\d]`; m.Match([]byte(text)) != isWord {
					t.Errorf("%s, case %v: %q is found: %v", class, letterCase, text, !isWord)
				}
			}
		}
	}
}
