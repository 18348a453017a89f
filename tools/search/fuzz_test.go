package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search"
)

// FuzzSearchDocuments checks that each query has a result or an error with a next step.
func FuzzSearchDocuments(f *testing.F) {
	for _, query := range []string{
		"stack", "", "!!!", `""`, `"`, "//", "/", "/(/", `/a{1000}{1000}/`, "\x00", "\xff\xfe", "設定", "設", strings.Repeat("語", 1000), strings.Repeat("a", 1000),
		"a.b.c::d->e()", `"a" "b" c`, "src/main.go:10", "--help", "*", "%s%d", "ﾊﾟｽﾜｰﾄﾞ", "𝔘𝔫𝔦", "e\u0301", "\u202egnp.exe", "/" + strings.Repeat("(a|b)*", 100) + "/",
	} {
		f.Add(query, "", "src/")
	}
	f.Add("stack", "go", "**/*.go")
	f.Add("stack", ".md", "../..")
	f.Add("stack", "md", "[")
	p := newProject(f, nil, search.Options{}, newShelf(f, library()))
	f.Fuzz(func(t *testing.T, query, kind, path string) {
		args := search.DocumentsArgs{Query: query, Limit: 5, Filters: &search.DocumentFilters{Path: path}}
		if kind != "" {
			args.Filters.FileTypes = []string{kind}
		}
		r, err := p.SearchDocuments(t.Context(), args)
		if err != nil {
			if security.CodeOf(err) == security.InternalError {
				t.Errorf("%q: %v", query, err)
			}
			return
		}
		for _, d := range r.Results {
			if !utf8.ValidString(d.Content) || d.StartLine < 1 || d.EndLine < d.StartLine || d.Content != "" && (d.ContentStart < d.StartLine || d.ContentEnd > d.EndLine) {
				t.Errorf("%q: %+v", query, d)
			}
		}
	})
}
