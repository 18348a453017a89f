package uses_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

// texts is a uses.Project in memory, by path.
type texts map[string]string

func (p texts) Files(languages ...source.Language) []string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(p)) {
		if lang, ok := source.LanguageOf(path, nil); ok && slices.Contains(languages, lang) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (p texts) ReadFile(_ context.Context, path string) ([]byte, error) {
	text, ok := p[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// marks are the comments at the end of a line that name the expected certainty.
var marks = map[string]uses.Certainty{"R": uses.Resolved, "P": uses.Possible, "U": uses.Unresolved}

// checkUses compares the uses of a name with the marks in the files: the declaration has
// the mark T, and the lines of its uses have one of marks. aliases are other names of it.
func checkUses(t *testing.T, name string, files texts, aliases ...string) uses.Result {
	t.Helper()
	named := func(code string) bool {
		return slices.ContainsFunc(append(aliases, name), func(one string) bool { return strings.Contains(code, one) })
	}
	var d uses.Declaration
	var want, got []string
	for path, text := range files {
		offset := 0
		for i, line := range strings.SplitAfter(text, "\n") {
			for _, comment := range []string{"//", "#"} {
				code, mark, _ := strings.Cut(strings.TrimSpace(line), comment)
				if mark == "T" {
					lang, _ := source.LanguageOf(path, nil)
					d = uses.Declaration{Path: path, Name: name, Offset: offset + strings.Index(line, name), Language: lang}
				}
				if certainty, ok := marks[mark]; ok && named(code) {
					want = append(want, fmt.Sprintf("%s:%d:%d", path, i+1, certainty))
				}
			}
			offset += len(line)
		}
	}
	r, err := uses.NewFinder(files).Find(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range r.Uses {
		got = append(got, fmt.Sprintf("%s:%d:%d", u.Path, u.Line, u.Certainty))
		if text := files[u.Path][u.Offset:]; !slices.ContainsFunc(append(aliases, name), func(one string) bool { return strings.HasPrefix(text, one) }) {
			t.Errorf("the use at %s:%d has offset %d", u.Path, u.Line, u.Offset)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("uses of %s: %v, want %v", name, got, want)
	}
	return r
}

// countValues returns the number of uses that are values.
func countValues(r uses.Result) int {
	n := 0
	for _, u := range r.Uses {
		if u.Value {
			n++
		}
	}
	return n
}
