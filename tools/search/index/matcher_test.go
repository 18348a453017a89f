package index_test

import (
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

func TestMatcher(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	file := index.Known{Path: "src/app/main_test.go", Language: "go", ModTime: noon}
	for name, c := range map[string]struct {
		filter index.Filter
		want   bool
	}{
		"none":                     {index.Filter{}, true},
		"a directory":              {index.Filter{Paths: []string{"docs/", "src/"}}, true},
		"a directory, no slash":    {index.Filter{Paths: []string{"./src/app"}}, true},
		"another directory":        {index.Filter{Paths: []string{"src/ap"}}, false},
		"the file":                 {index.Filter{Paths: []string{"src/app/main_test.go"}}, true},
		"everything":               {index.Filter{Paths: []string{"."}}, true},
		"a pattern":                {index.Filter{Paths: []string{"**/*_test.go"}}, true},
		"a pattern of the name":    {index.Filter{Paths: []string{"*.go"}}, true},
		"a pattern of directories": {index.Filter{Paths: []string{"s*c/"}}, true},
		"excluded":                 {index.Filter{Paths: []string{"src"}, Exclude: []string{"**/*_test.go"}}, false},
		"an extension":             {index.Filter{Extensions: []string{"ts", "go"}}, true},
		"another extension":        {index.Filter{Extensions: []string{"ts"}}, false},
		"a language":               {index.Filter{Extensions: []string{"ts"}, Languages: []string{"go"}}, true},
		"later":                    {index.Filter{ModifiedAfter: noon.Add(-time.Second)}, true},
		"not later":                {index.Filter{ModifiedAfter: noon}, false},
	} {
		m, err := c.filter.Matcher()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := m.File(file); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	m, err := index.Filter{Kinds: []string{"method"}}.Matcher()
	if err != nil || !m.File(file) || !m.Piece(index.Piece{Kind: "method"}) || m.Piece(index.Piece{Kind: "class"}) {
		t.Errorf("kinds: %v", err)
	}
	if _, err := (index.Filter{Exclude: []string{"a[b"}}).Matcher(); err == nil {
		t.Error("an invalid pattern was accepted")
	}
}
