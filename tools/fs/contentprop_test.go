package fs_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// textOf is a file of a random tree in characters.
type textOf struct {
	path     string
	modified time.Time
	lines    []string
}

// randomTree makes files with words in lines, in several encodings and with all kinds of line ends.
func randomTree(t *testing.T, r *rand.Rand, p project) []textOf {
	words := []string{"alpha", "Beta", "gamma(", "デルタ", "日本語", "ε", "", "\t", strings.Repeat("long ", 70) + "alpha"}
	var files []textOf
	for i := range 40 {
		f := textOf{path: fmt.Sprintf("d%d/e%d/f%02d.%s", i%3, i%2, i, []string{"txt", "go"}[i%2])}
		encoding := []textfile.Encoding{textfile.UTF8, textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP, textfile.UTF16LE, textfile.UTF16BE}[r.IntN(7)]
		if encoding != textfile.UTF8 {
			f.lines = append(f.lines, "この文章は日本語で書かれています。")
		}
		for range r.IntN(30) {
			var line []string
			for range r.IntN(4) {
				word := words[r.IntN(len(words))]
				if word == "ε" && encoding == textfile.ISO2022JP {
					continue
				}
				line = append(line, word)
			}
			f.lines = append(f.lines, strings.Join(line, " "))
		}
		ends := [][]string{{"\n"}, {"\r\n"}, {"\r"}, {"\n", "\r\n"}}[i%4]
		var content strings.Builder
		for n, line := range f.lines {
			content.WriteString(line)
			if n < len(f.lines)-1 || line == "" || r.IntN(2) == 0 {
				content.WriteString(ends[r.IntN(len(ends))])
			}
		}
		raw, err := textfile.Encode(content.String(), encoding, encoding != textfile.UTF8 || r.IntN(4) == 0)
		if err != nil {
			t.Fatal(err)
		}
		p.put(t, f.path, string(raw))
		f.modified = time.Unix(1_800_000_000+int64(r.IntN(20)), 0)
		if err := os.Chtimes(p.path(f.path), f.modified, f.modified); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b textOf) int {
		if c := b.modified.Compare(a.modified); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	return files
}

// expect returns the expected result in the form of outline, and the number of matching lines.
func expect(files []textOf, match func(string) bool, suffix string, context int) (string, int) {
	var all []string
	total := 0
	for _, f := range files {
		if !strings.HasSuffix(f.path, suffix) {
			continue
		}
		marks := make([]byte, len(f.lines))
		for i, line := range f.lines {
			if !match(line) {
				continue
			}
			total++
			for j := max(0, i-context); j <= min(len(f.lines)-1, i+context); j++ {
				marks[j] = max(marks[j], 1)
			}
			marks[i] = 2
		}
		var lines []string
		for i, mark := range marks {
			if mark > 0 {
				lines = append(lines, fmt.Sprint(i+1, []string{"", "-", ""}[mark]))
			}
		}
		if len(lines) > 0 {
			all = append(all, f.path+":"+strings.Join(lines, ","))
		}
	}
	return strings.Join(all, " "), total
}

// A search finds the lines that a naive one finds, on one page or on many. Short tests search one tree, with larger pages.
func TestSearchContent_Pages(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		p, small := newProject(t, setup{answer: 1 << 20}, nil), newProject(t, setup{answer: 2000}, nil)
		r := rand.New(rand.NewPCG(seed, 1))
		files := randomTree(t, r, p)
		randomTree(t, rand.New(rand.NewPCG(seed, 1)), small)
		for _, pattern := range []string{"alpha", "Beta", `gamma\(`, "デルタ", "日.語", `^\s*$`, "beta$", "ε|Beta", "[^a]lpha"} {
			expression := pattern
			if strings.ToLower(pattern) == pattern {
				expression = "(?i)" + pattern
			}
			suffix := []string{"", ".go"}[r.IntN(2)]
			context := r.IntN(4)
			args := fs.SearchContentArgs{Pattern: pattern, MaxResults: 1000, Context: context}
			if suffix != "" {
				args.Glob = []string{"*" + suffix}
			}
			want, total := expect(files, regexp.MustCompile(expression).MatchString, suffix, context)
			got := p.grep(t, args)
			if all := outline(got); all != want || got.TotalMatches != total || got.Truncated {
				t.Fatalf("seed %d, %+v: %d matches\ngot  %s\nwant %s", seed, args, got.TotalMatches, all, want)
			}
			args.Context = 0
			want, _ = expect(files, regexp.MustCompile(expression).MatchString, suffix, 0)
			for _, size := range []int{1 + int(seed), 50, 1000} {
				args.MaxResults = size
				if testing.Short() {
					args.MaxResults = max(size, total/5)
				}
				if all := pages(t, p, args, total); all != want {
					t.Fatalf("seed %d, %+v: pages join to\n%s\nwant %s", seed, args, all, want)
				}
			}
			args.Context = context
			if all := pages(t, small, args, total); withoutContext(all) != want {
				t.Fatalf("seed %d, %+v: small pages join to\n%s\nwant %s", seed, args, withoutContext(all), want)
			}
		}
	}
}

// pages joins all pages of a search.
func pages(t *testing.T, p project, args fs.SearchContentArgs, total int) string {
	t.Helper()
	var all []fs.FileMatches
	for range total + 2 {
		got := p.grep(t, args)
		if got.TotalMatches != total || got.Truncated != (got.NextCursor != "") {
			t.Fatalf("%+v: %d matches, truncated %v", args, got.TotalMatches, got.Truncated)
		}
		for _, f := range got.Files {
			if n := len(all); n > 0 && all[n-1].Path == f.Path {
				all[n-1].Lines = append(all[n-1].Lines, f.Lines...)
			} else {
				all = append(all, f)
			}
		}
		if args.Cursor = got.NextCursor; args.Cursor == "" {
			return outline(fs.SearchContentResult{Files: all})
		}
	}
	t.Fatalf("%+v: the pages do not end", args)
	return ""
}

func withoutContext(s string) string {
	return regexp.MustCompile(`:,`).ReplaceAllString(regexp.MustCompile(`\d+-,?|,\d+-`).ReplaceAllString(s, ""), ":")
}

// An answer stays within its budget, whatever the lines.
func TestSearchContent_Budget(t *testing.T) {
	const count = 12
	files := map[string]string{}
	for i := range count {
		files[fmt.Sprintf("a directory/with a rather long name/file-%04d.txt", i)] =
			strings.Repeat(strings.Repeat("\x01\"\\日本", 500)+"needle\n", 3) + strings.Repeat("x\n", 30) + "needle\n" + strings.Repeat("\x1b\n", 40)
	}
	for _, answer := range []int{500, 4000, 32 << 10} {
		p := newProject(t, setup{answer: answer}, files)
		for _, mode := range []string{"content", "files", "count"} {
			args := fs.SearchContentArgs{Pattern: "needle", Context: 20, OutputMode: mode, MaxResults: 1000}
			seen := 0
			for range 4*count + 1 {
				got := p.grep(t, args)
				asJSON, err := json.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				// One line is always shown, whatever it takes.
				if text := got.TextContent(); len(text) > max(answer, 2500) || len(asJSON) > max(answer, 2500) {
					t.Fatalf("%d bytes of text and %d of JSON, at most %d are allowed: %s", len(text), len(asJSON), answer, outline(got))
				}
				for _, f := range got.Files {
					for _, l := range f.Lines {
						if !l.Context {
							seen++
						}
					}
					if mode != "content" {
						seen += f.Matches
					}
				}
				if args.Cursor = got.NextCursor; args.Cursor == "" {
					break
				}
			}
			if seen != 4*count {
				t.Errorf("%s in answers of %d bytes: saw %d matches", mode, answer, seen)
			}
		}
	}
}
