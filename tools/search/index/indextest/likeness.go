package indextest

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/index"
)

// similar checks searches by fingerprints.
func similar(t *testing.T, ix index.Index) {
	commit(t, ix,
		file("a.go", "go", piece{name: "Same", prints: []uint32{10, 20, 30, 40}}, piece{name: "None"}, piece{name: "Half", prints: []uint32{10, 20, 31, 41}}),
		file("b.ts", "typescript", piece{name: "Part", prints: []uint32{20, 30}}, piece{name: "More", prints: []uint32{1, 2, 3, 10, 20, 30, 40, 1 << 31, 1<<32 - 1}}, piece{name: "Other", prints: []uint32{5}}))
	for name, tc := range map[string]struct {
		l    index.Likeness
		want map[string]float64
	}{
		"all":      {index.Likeness{Prints: []uint32{10, 20, 30, 40}}, map[string]float64{"Same": 1, "Part": 1, "More": 1, "Half": 0.5}},
		"half":     {index.Likeness{Prints: []uint32{10, 20, 99, 100}, Least: 0.5}, map[string]float64{"Same": 0.5, "Part": 0.5, "More": 0.5, "Half": 0.5}},
		"more":     {index.Likeness{Prints: []uint32{10, 20, 30, 99}, Least: 0.6}, map[string]float64{"Same": 0.75, "Part": 1, "More": 0.75}},
		"filter":   {index.Likeness{Prints: []uint32{10, 20, 30, 40}, Filter: index.Filter{Languages: []string{"go"}}, Least: 0.9}, map[string]float64{"Same": 1}},
		"the ends": {index.Likeness{Prints: []uint32{0, 1 << 31, 1<<32 - 1}}, map[string]float64{"More": 2.0 / 3}},
		"unknown":  {index.Likeness{Prints: []uint32{6, 7}}, map[string]float64{}},
		"nothing":  {index.Likeness{}, map[string]float64{}},
	} {
		found, err := ix.Similar(t.Context(), tc.l)
		must(t, err)
		got := make(map[string]float64)
		for i, c := range found.Candidates {
			got[c.Piece.Name] = float64(int(c.Score*1e4+0.5)) / 1e4
			if i > 0 && c.Score > found.Candidates[i-1].Score {
				t.Errorf("%s: %s is behind what is less similar", name, c.Piece.Name)
			}
		}
		for piece := range tc.want {
			tc.want[piece] = float64(int(tc.want[piece]*1e4+0.5)) / 1e4
		}
		same(t, name, got, tc.want)
	}
	found, err := ix.Similar(t.Context(), index.Likeness{Prints: []uint32{10, 20, 30, 40}, Limit: 2})
	must(t, err)
	same(t, "limited", names(found), []string{"a.go:Same", "b.ts:Part"})
}

// texts stores files with these texts, and one whose text was extracted and is not verbatim.
func texts(t *testing.T, ix index.Index, texts map[string]string) {
	t.Helper()
	w := begin(t, ix, index.WriteOptions{})
	for path, text := range texts {
		must(t, w.Put(t.Context(), index.File{Path: path, Text: []byte(text), Verbatim: true, ModTime: epoch}))
	}
	must(t, w.Put(t.Context(), index.File{Path: "extracted", Text: []byte("Hello, world 日本語"), ModTime: epoch}))
	must(t, w.Commit(t.Context()))
}

// literals checks that files with a text are candidates, and that files without any part of it are not.
func literals(t *testing.T, ix index.Index) {
	texts(t, ix, map[string]string{"hello": "Hello, world", "binary": "\x00\xff\xfeA\x00", "japanese": "日本語の検索", "short": "ab", "one": "a", "empty": ""})
	for literal, want := range map[string][]string{
		"Hello": {"hello"}, "Hello, world": {"hello"}, "rld": {"hello"}, "日本語": {"japanese"}, "検": {"japanese"}, "索": {"japanese"}, "\xff\xfeA": {"binary"}, "ab": {"short"},
		"ld": {"hello"}, "zzz": nil, "zz": nil, "Hello, nobody": nil,
	} {
		got, err := ix.Candidates(t.Context(), index.Literals{Literal: literal}, index.Filter{})
		must(t, err)
		same(t, literal, got, want)
	}
	for literal, want := range map[string]string{"a": "one", "b": "short", "\x00": "binary", "": "empty"} {
		got, err := ix.Candidates(t.Context(), index.Literals{Literal: literal}, index.Filter{})
		must(t, err)
		has := false
		for _, path := range got {
			has = has || path == want
			if path == "extracted" {
				t.Error("a file is a candidate whose text is not verbatim")
			}
		}
		if !has {
			t.Errorf("%q is in %s, which is not among %q", literal, want, got)
		}
	}
}

// conditions checks combined conditions.
func conditions(t *testing.T, ix index.Index) {
	texts(t, ix, map[string]string{"1": "alpha beta", "2": "alpha gamma", "3": "beta gamma", "4": "ALPHA"})
	alpha, beta, gamma := index.Literals{Literal: "alpha"}, index.Literals{Literal: "beta"}, index.Literals{Literal: "gamma"}
	for name, tc := range map[string]struct {
		l    index.Literals
		want []string
	}{
		"all":     {index.Literals{All: []index.Literals{alpha, beta}}, []string{"1"}},
		"any":     {index.Literals{Any: []index.Literals{beta, gamma}}, []string{"1", "2", "3"}},
		"both":    {index.Literals{All: []index.Literals{beta}, Any: []index.Literals{alpha, gamma}}, []string{"1", "3"}},
		"with":    {index.Literals{Literal: "gamma", Any: []index.Literals{alpha}}, []string{"2"}},
		"nested":  {index.Literals{Any: []index.Literals{{All: []index.Literals{alpha, gamma}}, {All: []index.Literals{beta, gamma}}}}, []string{"2", "3"}},
		"fold":    {index.Literals{Literal: "Alpha", Fold: true, Any: []index.Literals{{}}}, []string{"1", "2", "4"}},
		"nothing": {index.Literals{}, []string{"1", "2", "3", "4"}},
		"or all":  {index.Literals{Any: []index.Literals{alpha, {}}}, []string{"1", "2", "3", "4"}},
		"never":   {index.Literals{All: []index.Literals{{Literal: "nowhere"}}}, nil},
	} {
		got, err := ix.Candidates(t.Context(), tc.l, index.Filter{})
		must(t, err)
		same(t, name, got, tc.want)
	}
	deep := alpha
	for range 1000 {
		deep = index.Literals{All: []index.Literals{deep}}
	}
	got, err := ix.Candidates(t.Context(), deep, index.Filter{})
	must(t, err)
	if len(got) < 2 {
		t.Errorf("a deep condition leaves out what fulfils it: %q", got)
	}
}
