package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source"
)

const (
	minCode           = 10 // characters
	defaultSimilarity = 0.7
	defaultSimilar    = 10
	maxSimilar        = 50
	maxShownCode      = 6000 // bytes of code per result
)

// identifier matches names of at least three characters in code.
var identifier = regexp.MustCompile(`[\pL_][\pL\pN_]{2,}`)

// SimilarArgs are the arguments of findSimilarCode.
type SimilarArgs struct {
	// Code is the code to search for, at least 10 characters.
	Code string `json:"code" jsonschema:"minLength=10"`
	// Language is the language of Code, a name of package source. Empty means automatic detection. Results can be in other
	// languages.
	Language string `json:"language,omitempty" jsonschema:"description=Language of the code; results may be in any"`
	// Similarity is the minimum similarity of a result, from 0 to 1. nil means 0.7.
	Similarity *float64 `json:"similarity,omitempty" jsonschema:"minimum=0,maximum=1,default=0.7,description=Minimum similarity"`
	// Limit is the maximum number of results, from 1 to 50. 0 means 10.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50,default=10,description=Maximum results"`
}

// SimilarResult is the result of findSimilarCode.
type SimilarResult struct {
	// Notice describes missing parts of the index and the files compared in their place. It is empty for a complete index. In
	// the text form it precedes the results.
	Notice string `json:"notice,omitempty"`
	// Results are ordered by similarity, most similar first.
	Results  []SimilarCode   `json:"results"`
	Metadata SimilarMetadata `json:"metadata"`
}

// SimilarCode is a piece of similar code.
type SimilarCode struct {
	// File is the path in the project.
	File string `json:"file"`
	// StartLine and EndLine are the first and last line, from 1.
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
	// Similarity is 1 for a copy, about 0.9 for a copy with renamed identifiers, and below 0.3 for unrelated code.
	Similarity float64 `json:"similarity"`
	Kind       string  `json:"kind"`
	Name       string  `json:"name,omitempty"`
	Language   string  `json:"language,omitempty"`
	// Code is the current text, at most 6,000 bytes.
	Code string `json:"code"`
}

// SimilarMetadata describes the search.
type SimilarMetadata struct {
	// TotalResults is the number of similar pieces.
	TotalResults int `json:"totalResults"`
	// SearchTime is the duration of the search in milliseconds.
	SearchTime float64 `json:"searchTime"`
	// Language is the language of the code: given or detected.
	Language string `json:"language,omitempty"`
	// Origin is the only place with exactly this code, as "path:first-last". It is assumed to be the source of the code and
	// omitted from Results.
	Origin string   `json:"origin,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// languages returns the values of the parameter language: those that parsers add, then the built-in ones, the most common first.
func (s *Search) languages() []any {
	var names []any
	add := func(all ...source.Language) {
		for _, l := range all {
			if !slices.Contains(names, any(string(l))) {
				names = append(names, string(l))
			}
		}
	}
	if p := s.options.Parsers; p != nil {
		added := p.Languages()
		add(slices.DeleteFunc(added, func(l source.Language) bool { return slices.Contains(source.Languages(), l) || p.IsData(l) })...)
	}
	add(source.TypeScript, source.JavaScript, source.Python, source.Go, source.Rust, source.Java)
	add(source.Languages()...)
	return names
}

// FindSimilarCode implements findSimilarCode. Errors: INVALID_PARAMS, INDEX_UNAVAILABLE, CIRCUIT_OPEN, and the error of ctx.
func (s *Search) FindSimilarCode(ctx context.Context, args SimilarArgs) (SimilarResult, error) {
	began := time.Now()
	least := defaultSimilarity
	if args.Similarity != nil {
		least = *args.Similarity
	}
	if args.Limit == 0 {
		args.Limit = defaultSimilar
	}
	switch n := len([]rune(strings.TrimSpace(args.Code))); {
	case n < minCode:
		return SimilarResult{}, invalid("Give some lines of code.", "the code has %d characters, and must have %d at least", n, minCode)
	case !(least >= 0 && least <= 1):
		return SimilarResult{}, invalid("Give 0 to 1.", "the similarity %v is out of range", least)
	case args.Limit < 0 || args.Limit > maxSimilar:
		return SimilarResult{}, invalid("Give 1 to 50.", "the limit %d is out of range", args.Limit)
	case args.Language != "" && !slices.Contains(s.languages(), any(args.Language)):
		return SimilarResult{}, invalid("Leave it out, or give one of "+strings.Trim(fmt.Sprint(s.languages()), "[]")+".", "there is no language %s", quote(args.Language))
	case len(s.documents) == 0:
		return SimilarResult{}, noDocumentsError()
	}
	unsaved := s.indexUnsaved(ctx)
	all, err := s.findSimilar(ctx, similar.Query{Code: []byte(args.Code), Language: args.Language, Parsers: s.options.Parsers, Similarity: least, Limit: maxSimilar + 1})
	if err != nil {
		return SimilarResult{}, err
	}
	r := SimilarResult{Notice: all.notice, Results: []SimilarCode{}, Metadata: SimilarMetadata{TotalResults: all.total, Language: all.language, Notes: slices.Clone(all.notes)}}
	if unsaved != "" {
		r.Metadata.Notes = append(r.Metadata.Notes, unsaved)
	}
	hits := r.omitOrigin(all.hits)
	for _, h := range hits[:min(len(hits), args.Limit)] {
		r.Results = append(r.Results, similarCode(h))
	}
	r.Results = truncateJSON(r.Results, s.limits.Answer)
	skipped := 0
	for _, d := range s.documents {
		skipped += total(d.Status().Skipped)
	}
	if skipped > 0 {
		r.Metadata.Notes = append(r.Metadata.Notes, fmt.Sprintf("%s %s not indexed%s, and not compared", plural.Count(skipped, "file"), plural.Are(skipped), tools.Advice(ctx, " (get_index_status says why)")))
	}
	r.Metadata.SearchTime = milliseconds(time.Since(began))
	return r, nil
}

// omitOrigin removes the only exact match from hits and records it as Origin. Several exact matches remain.
func (r *SimilarResult) omitOrigin(hits []similar.Hit) []similar.Hit {
	same := func(h similar.Hit) bool { return h.Same }
	first := slices.IndexFunc(hits, same)
	if first < 0 || slices.ContainsFunc(hits[first+1:], same) {
		return hits
	}
	h := hits[first]
	r.Metadata.Origin = fmt.Sprintf("%s:%d-%d", h.File.Path, h.StartLine, h.EndLine)
	r.Metadata.TotalResults--
	return slices.Delete(slices.Clone(hits), first, first+1)
}

func similarCode(h similar.Hit) SimilarCode {
	return SimilarCode{
		File: h.File.Path, StartLine: h.StartLine, EndLine: h.EndLine, Similarity: math.Floor(h.Score*1000) / 1000,
		Kind: h.Piece.Kind, Name: fullName(h.Piece), Language: h.File.Language, Code: truncate.Cut(string(h.Code), maxShownCode),
	}
}

// similarHits is the result of a search for similar code, with digests of the files it depends on.
type similarHits struct {
	hits     []similar.Hit
	total    int
	language string
	notice   string // missing part of the index, and the files compared in its place
	notes    []string
	failed   []failure
	texts    map[string]uint64 // hash of the text of each file with hits, by path
}

// findSimilar searches all plugins, or returns the cached result if none of its files has changed. Files that an index lacks
// are compared directly if they share names with the code.
func (s *Search) findSimilar(ctx context.Context, q similar.Query) (*similarHits, error) {
	asked, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("searching similar code: %w", err)
	}
	kept, slot, ok := lookup[*similarHits](s.cache, "similar", s.generation(ctx), string(asked))
	gaps := s.gaps()
	if ok && len(gaps) == 0 && s.textsUnchanged(ctx, kept.texts) {
		return kept, nil
	}
	all, err := s.searchSimilar(ctx, q, gaps)
	if err == nil && len(all.failed) > 0 {
		gaps = s.addFailedSources(gaps, all.failed)
		all, err = s.searchSimilar(ctx, q, gaps)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all.hits, func(a, b similar.Hit) int { return cmp.Compare(b.Score, a.Score) })
	if len(gaps) > 0 {
		return all, nil
	}
	size := 0
	for _, h := range all.hits {
		size += 500 + len(h.Code)
	}
	slot.store(all, size)
	return all, nil
}

// searchSimilar searches the indexes, and directly the files that they lack.
func (s *Search) searchSimilar(ctx context.Context, q similar.Query, gaps []gap) (*similarHits, error) {
	all := &similarHits{texts: make(map[string]uint64)}
	var sources []*collection
	read := 0
	outside, files := splitGaps(gaps)
	all.notice = describeExternalGaps(outside)
	if len(files) > 0 {
		wanted, err := codeScanWords(string(q.Code))
		if err != nil {
			return nil, err
		}
		l, err := s.scanGaps(ctx, wanted, liveWords, q.Filter, files)
		if err != nil {
			return nil, err
		}
		live, err := l.source(ctx)
		if err != nil {
			return nil, err
		}
		if live != nil {
			defer live.close()
			sources = append(sources, live)
		}
		read = l.filesRead
		if all.notice != "" {
			all.notice += "\n"
		}
		all.notice += describeGaps(files) + fmt.Sprintf(": of the %d files that it lacks, the ones that share most names with the code were compared", l.filesRead)
		if l.incomplete {
			all.notice += "; not all files were read"
		}
	}
	for _, d := range s.documents {
		if !slices.ContainsFunc(gaps, func(g gap) bool { return g.documents == d && g.err != nil }) {
			sources = append(sources, d.source())
		}
	}
	if broken := failedGap(gaps); len(sources) == 0 && read == 0 && broken != nil {
		return nil, broken
	}
	seen := make(map[string]bool)
	for _, src := range sources {
		if err := s.collectSimilar(ctx, src, q, seen, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// codeScanWords returns the longest names in code, for a search in files without an index.
func codeScanWords(code string) ([]scanWord, error) {
	names := slices.Compact(slices.Sorted(slices.Values(identifier.FindAllString(code, -1))))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var wanted []scanWord
	for _, name := range names[:min(len(names), maxScanWords)] {
		m, err := grep.Compile(name, grep.Options{Literal: true})
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, scanWord{matcher: m})
	}
	return wanted, nil
}

// collectSimilar adds the hits of one source, except in files that an earlier source contains. A failed source is recorded in
// all.failed.
func (s *Search) collectSimilar(ctx context.Context, src *collection, q similar.Query, seen map[string]bool, all *similarHits) error {
	var mu sync.Mutex
	texts := make(map[string]uint64)
	read := func(ctx context.Context, path string) ([]byte, error) {
		text, _, err := src.read(ctx, path)
		if err == nil {
			sum := maphash.Bytes(s.seed, text)
			mu.Lock()
			defer mu.Unlock()
			texts[path] = sum
		}
		return text, err
	}
	got, err := guarded(ctx, src.guard, func(ctx context.Context) (similar.Found, error) {
		got, err := similar.Find(ctx, src.index, read, q)
		switch {
		case errors.Is(err, similar.ErrTooLong):
			err = invalid("Give the part that matters.", "%v", err)
		case errors.Is(err, similar.ErrNoCode):
			err = invalid("Give some statements or a function.", "%v", err)
		}
		return got, err
	})
	switch {
	case err != nil && (ctx.Err() != nil || security.CodeOf(err) == security.InvalidParams):
		return err
	case err != nil:
		all.failed = append(all.failed, failure{src, err})
		return nil
	}
	all.total += got.Total
	var paths []string
	for _, h := range got.Hits {
		if seen[h.File.Path] {
			all.total--
			continue
		}
		paths = append(paths, h.File.Path)
		all.hits = append(all.hits, h)
		all.texts[h.File.Path] = texts[h.File.Path]
	}
	for _, path := range paths {
		seen[path] = true
	}
	all.language = got.Language
	if got.Short {
		all.notes = append(all.notes, "the code is short: copies with other names may be missing; give some more lines")
	}
	if got.Unread > 0 {
		all.notes = append(all.notes, plural.Count(got.Unread, "file")+" not compared: changed or unreadable")
	}
	return nil
}

// textsUnchanged reports whether all files still have the given hashes.
func (s *Search) textsUnchanged(ctx context.Context, texts map[string]uint64) bool {
	for path, sum := range texts {
		same := slices.ContainsFunc(s.owners(path), func(d *documents) bool {
			text, _, err := d.Read(ctx, path)
			return err == nil && maphash.Bytes(s.seed, text) == sum
		})
		if !same {
			return false
		}
	}
	return true
}

// blocks returns one text per result, and remarks on the search.
func (r SimilarResult) blocks() []mcp.Content {
	var content []mcp.Content
	if r.Notice != "" {
		content = append(content, mcp.TextContent{Text: "[" + strings.ReplaceAll(r.Notice, "\n", "]\n[") + "]"})
	}
	for _, c := range r.Results {
		content = append(content, mcp.TextContent{Text: fmt.Sprintf("File: %s:%d-%d\nSimilarity: %.3f\n\n%s", c.File, c.StartLine, c.EndLine, c.Similarity, c.Code)})
	}
	var notes []string
	if len(r.Results) == 0 {
		notes = append(notes, "no compared code reaches this similarity; try a lower similarity, or a part of the code")
	} else if r.Metadata.TotalResults > len(r.Results) {
		notes = append(notes, fmt.Sprintf("%d of %s", len(r.Results), plural.Count(r.Metadata.TotalResults, "result")))
	}
	if r.Metadata.Origin != "" {
		notes = append(notes, "the code itself is at "+r.Metadata.Origin)
	}
	notes = append(notes, r.Metadata.Notes...)
	if len(notes) > 0 {
		content = append(content, mcp.TextContent{Text: "[" + strings.Join(notes, "]\n[") + "]"})
	}
	return content
}
