package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search"
)

// shop returns files of three languages in which the word price has several places.
func shop() map[string]string {
	return map[string]string{
		"cart/price.go":         "package cart\n\n// Price returns the price of all items, with the discount.\nfunc Price() int { return 1 }\n\n// priceTable lists each price.\ntype priceTable struct{}\n",
		"cart/price_test.go":    "package cart\n\nimport \"testing\"\n\n// TestPrice checks the price.\nfunc TestPrice(t *testing.T) {}\n",
		"web/price.ts":          "// showPrice shows the price.\nexport function showPrice(): number { return 1 }\n",
		"web/view.tsx":          "// PriceView shows the price.\nexport function PriceView() { return 1 }\n",
		"docs/price.md":         "# Price\n\nThe price is shown by `-currency`; file:price.conf has the rest.\n",
		"docs/discount note.md": "# Discount\n\nA price with a discount.\n",
	}
}

func TestSearchDocuments_Operators(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, shop()))
	for _, c := range []struct {
		query string
		want  []string // paths, in any order
	}{
		{"price lang:go", []string{"cart/price.go", "cart/price_test.go"}},
		{"price lang:golang", []string{"cart/price.go", "cart/price_test.go"}},
		{"lang:ts price", []string{"web/price.ts", "web/view.tsx"}},
		{"price language:Markdown", []string{"docs/discount note.md", "docs/price.md"}},
		{"price lang:md lang:tsx", []string{"docs/discount note.md", "docs/price.md", "web/view.tsx"}},
		{"price -lang:go -lang:md", []string{"web/price.ts", "web/view.tsx"}},
		{"price file:cart", []string{"cart/price.go", "cart/price_test.go"}},
		{"price file:price -file:test -lang:md", []string{"cart/price.go", "web/price.ts"}},
		{"price file:**/*.tsx", []string{"web/view.tsx"}},
		{`price file:"discount note"`, []string{"docs/discount note.md"}},
		{"sym:pricetable", []string{"cart/price.go"}},
		{"price sym:show -lang:md", []string{"web/price.ts"}},
		{"price lang:go -sym:priceT -sym:cart -sym:test", []string{"cart/price.go", "cart/price_test.go"}},
		{"price -discount -test lang:go", []string{"cart/price.go"}},
		{`price lang:md -"a discount"`, []string{"docs/price.md"}},
		{`"the price" lang:go -file:test`, []string{"cart/price.go"}},
		{`/showP\w+/ lang:ts`, []string{"web/price.ts"}},
		{`"function showPrice" OR "function PriceView"`, []string{"web/price.ts", "web/view.tsx"}},
		{"showPrice OR PriceView lang:ts", []string{"web/price.ts", "web/view.tsx"}},
	} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: c.query, Limit: 50})
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		var got []string
		for _, d := range r.Results {
			if !slices.Contains(got, d.Path) {
				got = append(got, d.Path)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q, want %q; notes %q", c.query, got, c.want, r.Metadata.Notes)
		}
	}
}

// TestSearchDocuments_ExcludedWords checks that a result with an excluded word is left out alone, not its file.
func TestSearchDocuments_ExcludedWords(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, shop()))
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "price -discount", Filters: &search.DocumentFilters{Path: "cart/price.go"}})
	if err != nil || slices.Contains(places(r), "cart/price.go:Price") || !slices.Contains(places(r), "cart/price.go:priceTable") {
		t.Errorf("found %v, %v", places(r), err)
	}
	if notes := strings.Join(r.Metadata.Notes, " "); !strings.Contains(notes, `without results that contain "discount"`) {
		t.Errorf("notes %q", notes)
	}
}

// TestSearchDocuments_LiteralOperators checks that text which resembles conditions is searched as words.
func TestSearchDocuments_LiteralOperators(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, shop()))
	for query, path := range map[string]string{
		"how is -currency shown":   "docs/price.md", // words follow, as behind an option of a command
		"-currency":                "docs/price.md",
		"currency -v":              "docs/price.md",
		"rest file:price.conf":     "docs/price.md", // no such file: the conditions are words
		`"file:price.conf has"`:    "docs/price.md",
		"price file:///price.conf": "docs/price.md",
	} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil || !slices.ContainsFunc(r.Results, func(d search.Document) bool { return d.Path == path }) {
			t.Errorf("%s: found %v, %q, %q, %v", query, places(r), r.Notice, r.Metadata.Notes, err)
		}
	}
}

func TestSearchDocuments_OperatorErrors(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, shop()))
	for query, filters := range map[string]*search.DocumentFilters{
		"lang:go":         nil,
		"-lang:go":        nil,
		"price file:[":    nil,
		"price lang:go":   {FileTypes: []string{"ts"}},
		"price file:cart": {Path: "web"},
	} {
		if r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query, Filters: filters}); err == nil {
			t.Errorf("%s: found %v", query, places(r))
		}
	}
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "price lang:swift"})
	if err != nil || len(r.Results) != 0 || !strings.Contains(r.Notice, `no indexed file matches the fileTypes "swift"`) {
		t.Errorf("a language that is not there: %v, %q, %v", places(r), r.Notice, err)
	}
}
