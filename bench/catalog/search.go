package catalog

import "slices"

// The search tool: a result as coding agents often read it.
const (
	SearchName        = "search"
	SearchDescription = "Finds the lines of a project that match a query, best first."
)

// MaxHits is the number of hits.
const MaxHits = 20

// SearchArgs are the arguments of the search tool.
type SearchArgs struct {
	Query string `json:"query" jsonschema:"What to look for"`
	Limit int    `json:"limit" jsonschema:"How many hits are wanted, at most 20"`
}

// SearchResult is the result of the search tool.
type SearchResult struct {
	Hits []Hit `json:"hits" jsonschema:"The matching lines, best first"`
}

// Hit is one matching line.
type Hit struct {
	Path    string  `json:"path" jsonschema:"The file, relative to the project"`
	Line    int     `json:"line" jsonschema:"The line in the file, from 1"`
	Column  int     `json:"column" jsonschema:"The byte in the line, from 1"`
	Score   float64 `json:"score" jsonschema:"How well the line matches, from 0 to 1"`
	Snippet string  `json:"snippet" jsonschema:"The text of the line"`
	Symbol  string  `json:"symbol" jsonschema:"The declaration that the line is in"`
}

// Search returns the result of the search tool. The hits do not depend on the query, because searching is not measured.
func Search(a SearchArgs) SearchResult {
	return SearchResult{Hits: slices.Clone(hits[:min(max(a.Limit, 0), MaxHits)])}
}

var hits = [MaxHits]Hit{
	{"cmd/serve/main.go", 41, 9, 0.984, `	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil && ctx.Err() == nil {`, "main"},
	{"internal/store/open.go", 112, 14, 0.971, `	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_txlock=immediate")`, "Open"},
	{"internal/store/open.go", 128, 3, 0.958, `		return nil, fmt.Errorf("open %s: the schema is version %d, want %d", path, got, want)`, "Open"},
	{"internal/store/migrate.go", 57, 22, 0.942, `	for i := current; i < len(migrations); i++ { if err := migrations[i](ctx, tx); err != nil {`, "Migrate"},
	{"internal/index/trigram.go", 203, 5, 0.931, `	for i := 0; i+3 <= len(line); i++ { set[uint32(line[i])<<16|uint32(line[i+1])<<8] = true }`, "(*Index).add"},
	{"internal/index/query.go", 88, 17, 0.917, `	candidates := intersect(x.postings[grams[0]], x.postings[grams[1]], x.deleted.Complement())`, "(*Index).Query"},
	{"internal/index/query.go", 96, 9, 0.902, `	slices.SortFunc(found, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })`, "(*Index).Query"},
	{"internal/walk/walk.go", 34, 6, 0.889, `// Walk visits every regular file under root that no ignore file names, in the order of paths.`, "Walk"},
	{"internal/walk/ignore.go", 151, 12, 0.871, `	if strings.HasPrefix(pattern, "!") { negated, pattern = true, pattern[1:] }`, "parseRule"},
	{"internal/walk/ignore_test.go", 66, 4, 0.853, `		{name: "a later rule wins", rules: "*.log\n!keep.log", path: "keep.log", want: false},`, "TestIgnore"},
	{"web/src/panel/Results.tsx", 73, 19, 0.846, `        <li key={hit.path + hit.line} className="hit" onClick={() => open(hit.path, hit.line)}>`, "Results"},
	{"web/src/panel/Results.tsx", 81, 11, 0.829, `          {hit.snippet.length > 0 ? <code>{hit.snippet}</code> : <em>no preview for this line</em>}`, "Results"},
	{"web/src/state/query.ts", 27, 8, 0.812, `export const useQuery = create<QueryState>((set, get) => ({ text: "", hits: [], busy: false }))`, "useQuery"},
	{"docs/guide/search.md", 12, 1, 0.795, `Search ranks by symbol first, then by path & recency; quote a phrase ("like this") to keep it whole.`, ""},
	{"internal/rank/bm25.go", 45, 10, 0.781, `	score += idf * (tf * (k1 + 1)) / (tf + k1*(1-b+b*float64(length)/average))`, "(*Ranker).Score"},
	{"internal/rank/bm25_test.go", 19, 16, 0.764, `	if got := r.Score("open store", doc); math.Abs(got-1.8325) > 1e-4 {`, "TestScore"},
	{"internal/server/handler.go", 219, 7, 0.748, `	ctx, cancel := context.WithTimeout(r.Context(), h.limits.Patience); defer cancel()`, "(*Handler).search"},
	{"internal/server/handler.go", 240, 2, 0.733, `	w.Header().Set("Content-Type", "application/json; charset=utf-8"); w.WriteHeader(status)`, "(*Handler).reply"},
	{"scripts/reindex.sh", 8, 5, 0.715, `find "$root" -type f -name '*.go' -newer "$stamp" -print0 | xargs -0 -n 64 indexer --add`, ""},
	{"CHANGELOG.md", 301, 3, 0.702, `- Search: an empty query is refused instead of matching every line of the project (was: <all>).`, ""},
}
