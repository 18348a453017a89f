package driver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/dougu-go/dougu/bench/catalog"
)

// The workloads.
const (
	Small   = "small"   // a small typed call
	Search  = "search"  // an answer of 20 structured hits
	List    = "list"    // tools/list
	Text64K = "text64k" // a text of 64 KB as an argument
	Text1M  = "text1m"  // a text of 1 MB as an argument
	Start   = "start"   // from the start of the process to the answer to initialize
)

// Workload is one kind of call, made many times.
type Workload struct {
	Name string

	share   int // of so many small calls this workload makes one
	request request
	check   func(result json.RawMessage) error
}

// Calls returns how many calls the workload makes when the small workload makes
// base of them: fewer where one call is more work, but at least one.
func (w Workload) Calls(base int) int { return max(1, base/w.share) }

// Workloads returns every workload but Start, for servers that serve so many
// tools.
func Workloads(tools int) ([]Workload, error) {
	list, err := listWorkload(tools)
	if err != nil {
		return nil, err
	}
	greet := catalog.GreetArgs{
		Name: "Ada Lovelace", Count: 3, Tags: []string{"alpha", "beta", "gamma"},
		Opt: catalog.GreetOptions{Deep: true, F: 2.5},
	}
	small, err := callWorkload(Small, 1, catalog.SmallName, greet, catalog.Greet(greet))
	if err != nil {
		return nil, err
	}
	query := catalog.SearchArgs{Query: "open store", Limit: catalog.MaxHits}
	search, err := callWorkload(Search, 4, catalog.SearchName, query, catalog.Search(query))
	if err != nil {
		return nil, err
	}
	long := catalog.SizeArgs{Text: sourceText(64 << 10)}
	text64k, err := callWorkload(Text64K, 20, catalog.SizeName, long, catalog.Size(long))
	if err != nil {
		return nil, err
	}
	longer := catalog.SizeArgs{Text: sourceText(1 << 20)}
	text1m, err := callWorkload(Text1M, 200, catalog.SizeName, longer, catalog.Size(longer))
	if err != nil {
		return nil, err
	}
	return []Workload{small, search, list, text64k, text1m}, nil
}

func callWorkload(name string, share int, tool string, args, want any) (Workload, error) {
	r, err := newRequest("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return Workload{}, err
	}
	plain, err := plainJSON(want)
	if err != nil {
		return Workload{}, err
	}
	return Workload{Name: name, share: share, request: r, check: func(result json.RawMessage) error {
		return checkCall(result, plain)
	}}, nil
}

// checkCall wants a result whose structured content is the value want, and
// whose text says the same in JSON.
func checkCall(result json.RawMessage, want any) error {
	var got struct {
		IsError           bool `json:"isError"`
		StructuredContent any  `json:"structuredContent"`
		Content           []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(result, &got); err != nil {
		return err
	}
	if got.IsError {
		return fmt.Errorf("the tool failed")
	}
	if !reflect.DeepEqual(got.StructuredContent, want) {
		return fmt.Errorf("its structured content should be %v", want)
	}
	if len(got.Content) != 1 || got.Content[0].Type != "text" {
		return fmt.Errorf("it should have one text")
	}
	var text any
	if err := json.Unmarshal([]byte(got.Content[0].Text), &text); err != nil {
		return fmt.Errorf("its text is not JSON: %w", err)
	}
	if !reflect.DeepEqual(text, want) {
		return fmt.Errorf("its text does not say what its structured content says")
	}
	return nil
}

// plainJSON returns v as encoding/json decodes it without a type.
func plainJSON(v any) (any, error) {
	encoded, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var plain any
	err = json.Unmarshal(encoded, &plain)
	return plain, err
}

// sourceText returns a text of so many bytes that reads like source code: with
// line ends, tabs and quotes, and some letters outside ASCII.
func sourceText(size int) string {
	const piece = "// 道具 runs the query and keeps the best — 20 — matches.\n" +
		"func (x *Index) Query(ctx context.Context, q string) ([]Match, error) {\n" +
		"\tif q = strings.TrimSpace(q); q == \"\" {\n" +
		"\t\treturn nil, fmt.Errorf(\"query %q: %w\", q, ErrEmpty)\n" +
		"\t}\n" +
		"\tfor id := range x.candidates(q) {\n" +
		"\t\tif score := x.score(id, q); score > 0 && !x.deleted[id] {\n" +
		"\t\t\tx.best.Push(Match{ID: id, Score: score, Text: x.lines[id]})\n" +
		"\t\t}\n" +
		"\t}\n" +
		"\treturn x.best.Sorted(), ctx.Err()\n" +
		"}\n\n"
	text := strings.Repeat(piece, size/len(piece))
	return text + strings.Repeat(".", size-len(text))
}
