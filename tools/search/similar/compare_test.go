package similar_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/search/similar"
)

// change is a modification of code, with the allowed range of the score.
type change struct {
	name  string
	apply func(s sample, others []sample, r *rand.Rand) string
	bound func(d distribution) bool
	want  string
}

var changes = []change{
	{"nothing", func(s sample, _ []sample, _ *rand.Rand) string { return s.code },
		func(d distribution) bool { return d[0] == 1 }, "all 1"},
	{"layout and comments", func(s sample, _ []sample, _ *rand.Rand) string { return laidOut(s.code) },
		func(d distribution) bool { return d[0] == 1 }, "all 1"},
	{"names, each the same everywhere", func(s sample, _ []sample, r *rand.Rand) string { return renamed(s.code, s.lang, r, false) },
		func(d distribution) bool { return d[0] >= .9 && d[len(d)-1] < 1 }, "all from 0.9"},
	{"numbers", func(s sample, _ []sample, _ *rand.Rand) string { return numeral.ReplaceAllString(s.code, "4711") },
		func(d distribution) bool { return d[0] >= .9 && d.at(.5) >= .98 }, "all from 0.9, half from 0.98"},
	{"names, each another everywhere", func(s sample, _ []sample, r *rand.Rand) string { return renamed(s.code, s.lang, r, true) },
		func(d distribution) bool { return d.at(.05) >= .55 && d.at(.5) <= .9 }, "95% from 0.55, half under 0.9"},
	{"a fifth of the lines removed", func(s sample, _ []sample, r *rand.Rand) string { return removeLines(s.code, r, 5) },
		func(d distribution) bool { return d.at(.05) >= .7 && d.at(.5) >= .88 }, "95% from 0.7, half from 0.88"},
	{"only the half in the middle", func(s sample, _ []sample, _ *rand.Rand) string { return middle(s.code) },
		func(d distribution) bool { return d.at(.01) >= .95 }, "99% from 0.95"},
	{"names and a fifth of the lines", func(s sample, _ []sample, r *rand.Rand) string {
		return renamed(removeLines(s.code, r, 5), s.lang, r, false)
	},
		func(d distribution) bool { return d.at(.1) >= .7 && d.at(.5) >= .82 }, "90% from 0.7, half from 0.82"},
	{"a function of another directory", func(s sample, others []sample, r *rand.Rand) string {
		for {
			if o := others[r.IntN(len(others))]; filepath.Dir(o.path) != filepath.Dir(s.path) && 2*len(o.code) > len(s.code) && len(o.code) < 3*len(s.code) {
				return o.code
			}
		}
	}, func(d distribution) bool { return d.at(.5) <= .15 && d.at(.95) <= .3 && d.at(.99) <= .55 }, "half to 0.15, 95% to 0.3, 99% to 0.55"},
}

// calibrate checks the scores of modified samples.
func calibrate(t *testing.T, all []sample, n int) {
	all = slices.DeleteFunc(all, func(s sample) bool { return strings.Contains(s.code, "`") }) // strings of several lines
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var scores distribution
			for len(scores) < n {
				s := all[r.IntN(len(all))]
				other := c.apply(s, all, r)
				if similar.Prints([]byte(other), s.lang) == nil {
					continue // the rest is too short
				}
				score, _ := similar.Compare([]byte(other), []byte(s.code), s.lang)
				scores = append(scores, score)
			}
			slices.Sort(scores)
			t.Log(scores)
			if !c.bound(scores) {
				t.Errorf("want: %s", c.want)
			}
		})
	}
}

func TestCompare_ScoresOfGo(t *testing.T) {
	if testing.Short() {
		t.Skip("compares thousands of functions")
	}
	calibrate(t, samplesOf(t, 150, goTree(t, "net/http", "go/types", "encoding", "database", "os", "text", "image", "strconv", "compress", "bufio", "sort")...), 400)
}

// npm packages in TypeScript and JavaScript, and samples in Kotlin and Swift.
func TestCompare_ScoresOfOtherLanguages(t *testing.T) {
	corpus.Real(t)
	for _, p := range [][3]string{
		{"rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA=="},
		{"expo-modules-core", "58.0.7", "sha512-Xbpl7tj6amAI6yobCZxIBBaIpt9aUWygTKGjwRmPfp+HlXDlV1SutJL+C6Z+buDRiz3NFJs7h8KElJva7iOWzg=="},
	} {
		t.Run(p[0], func(t *testing.T) {
			dir := corpus.NPM(t, p[0], p[1], p[2])
			if p[0] == "rxjs" {
				dir = filepath.Join(dir, "src")
			}
			calibrate(t, samplesOf(t, 150, dir), 400)
		})
	}
}

// The score falls with the number of changed lines.
func TestCompare_MoreChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("compares hundreds of functions")
	}
	all := slices.DeleteFunc(samplesOf(t, 600, goTree(t, "net/http", "go/types", "encoding")...), func(s sample) bool { return strings.Contains(s.code, "`") })
	r := rand.New(rand.NewPCG(3, 4))
	mean := make([]float64, 9)
	const n = 60
	for range n {
		s := all[r.IntN(len(all))]
		lines := strings.Split(s.code, "\n")
		order, last := r.Perm(len(lines)), 2.0
		for step := range mean {
			changed := slices.Clone(lines)
			for _, i := range order[:len(lines)*step/len(mean)] {
				changed[i] = fmt.Sprintf("go%d.wait(<-done%d, \"%d\")", i, i*7, i)
			}
			score, _ := similar.Compare([]byte(strings.Join(changed, "\n")), []byte(s.code), "go")
			if score > last+.03 {
				t.Errorf("%s: %d changed lines of %d are %.3f alike, fewer were %.3f:\n%s", s.path, len(lines)*step/len(mean), len(lines), score, last, s.code)
			}
			mean[step] += score / n
			last = score
		}
	}
	t.Logf("mean with 0/%d … %d/%d of the lines changed: %.2f", len(mean), len(mean)-1, len(mean), mean)
	if mean[0] < .9999 || mean[2] > .85 || mean[8] > .2 {
		t.Errorf("the means are %.2f", mean)
	}
}

func TestCompare_Span(t *testing.T) {
	const a = "if err != nil {\n\tlog.Printf(\"%v\", err)\n\treturn a.close(ctx, err)\n}"
	const b = "func f() {\n\tx := g(1)\n\tif err != nil {\n\t\tlog.Printf(\"%v\", err)\n\t\treturn a.close(ctx, err)\n\t}\n\th(x)\n}"
	score, where := similar.Compare([]byte(a), []byte(b), "go")
	if got := b[where.Start:where.End]; score != 1 || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(a), " ") {
		t.Errorf("%.3f alike is %q", score, got)
	}
}

func TestCompare_LargeAndEmptyTexts(t *testing.T) {
	var long strings.Builder
	lines, signs := 3000, 50_000
	if testing.Short() {
		lines, signs = 1000, 5000
	}
	for i := range lines {
		fmt.Fprintf(&long, "func f%d(a, b int) { for i := range %d { g%d(a[i+%d], b...) } }\n", i, i, i*3, i)
	}
	all := long.String()
	for name, c := range map[string]struct {
		a, b        string
		least, most float64
	}{
		"empty":                     {"", "", 0, 0},
		"nothing but comments":      {"// a", "// a", 0, 0},
		"empty in something":        {"", "x := 1", 0, 0},
		"a long copy":               {all, all, .9, 1},
		"a line in a long text":     {strings.Split(all, "\n")[lines/2], all, 1, 1},
		"a long text in a line":     {all, strings.Split(all, "\n")[lines/2], 0, .1},
		"the same sign very often":  {strings.Repeat("(", signs), strings.Repeat("(", signs), 0, 1},
		"other signs very often":    {strings.Repeat("(", signs), strings.Repeat("[", signs), 0, 0},
		"the same name very often":  {strings.Repeat("a ", signs), strings.Repeat("a ", signs), 0, 1},
		"what is no text":           {"\x00\xff\xfe", "\x00\xff\xfe", 0, 1},
		"what opens and never ends": {"`" + all, "\"\"\"" + all[:5000], 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if score, where := similar.Compare([]byte(c.a), []byte(c.b), "go"); score < c.least || score > c.most || where.Start < 0 || int(where.End) > len(c.b) || where.End < where.Start {
				t.Errorf("%.3f alike at %v, want from %v to %v", score, where, c.least, c.most)
			}
		})
	}
}
