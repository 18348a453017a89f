package driver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dougu-go/dougu/bench/catalog"
)

// Names of the workloads.
const (
	Small   = "small"   // a small typed call
	Search  = "search"  // a result of 20 structured hits
	List    = "list"    // tools/list
	Text64K = "text64k" // a text of 64 KB as an argument
	Text1M  = "text1m"  // a text of 1 MB as an argument
	Start   = "start"   // from the start of the process to the response to initialize

	HTTPStateless = "http-stateless" // the small call over HTTP, revision 2026-07-28
	HTTPSession   = "http-session"   // the small call over HTTP, in a legacy session
	WebSocket     = "websocket"      // the small call over WebSocket
)

// Rows of the workload WebSocket beside Dougu.
const (
	Echo       = "echo"        // echoed frames of the size of the call
	DouguPipes = "dougu-stdio" // the small call over pipes
)

// Workload is a kind of call that is made many times.
type Workload struct {
	Name string

	share int    // it makes 1/share of the calls of the small workload
	calls []call // calls to the servers
}

// call is a kind of call and its transport.
type call struct {
	request request
	check   func(result json.RawMessage) error
	way     way

	server string // the only server; empty for all
	row    string // name in the report; empty for the name of the server
}

// Calls returns the number of calls if the small workload makes base calls. It is at least one.
func (w Workload) Calls(base int) int { return max(1, base/w.share) }

// entrant is a server in a workload.
type entrant struct {
	call
	name   string
	binary Binary
}

func (w Workload) entrants(servers []Binary) []entrant {
	var all []entrant
	for _, c := range w.calls {
		all = append(all, c.entrants(servers)...)
	}
	return all
}

func (c call) entrants(servers []Binary) []entrant {
	var all []entrant
	for _, s := range servers {
		if c.server == "" || c.server == s.Name {
			all = append(all, entrant{c, cmp.Or(c.row, s.Name), s})
		}
	}
	return all
}

// Workloads returns all workloads except Start, for servers with the given number of tools.
func Workloads(tools int) ([]Workload, error) {
	list, err := listCall(tools)
	if err != nil {
		return nil, err
	}
	args := catalog.GreetArgs{
		Name: "Ada Lovelace", Count: 3, Tags: []string{"alpha", "beta", "gamma"},
		Opt: catalog.GreetOptions{Deep: true, F: 2.5},
	}
	greeting := catalog.Greet(args)
	small, err1 := toolCall(catalog.SmallName, args, greeting)
	posted, err2 := modernCall(catalog.SmallName, args, greeting)
	echoed, err3 := echoCall(small.request)
	query := catalog.SearchArgs{Query: "open store", Limit: catalog.MaxHits}
	search, err4 := toolCall(catalog.SearchName, query, catalog.Search(query))
	long := catalog.SizeArgs{Text: sourceText(64 << 10)}
	text64k, err5 := toolCall(catalog.SizeName, long, catalog.Size(long))
	longer := catalog.SizeArgs{Text: sourceText(1 << 20)}
	text1m, err6 := toolCall(catalog.SizeName, longer, catalog.Size(longer))
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	return []Workload{
		{Small, 1, []call{small}},
		{Search, 4, []call{search}},
		{List, 10, []call{list}},
		{Text64K, 20, []call{text64k}},
		{Text1M, 200, []call{text1m}},
		{HTTPStateless, 1, []call{posted.by(stateless())}},
		{HTTPSession, 1, []call{small.by(sessions())}},
		{WebSocket, 1, []call{
			echoed.by(echoes()).only(Floor, Echo),
			small.only(Dougu, DouguPipes),
			small.by(sockets()).only(Dougu, Dougu),
		}},
	}, nil
}

func (c call) by(w way) call {
	c.way = w
	return c
}

func (c call) only(server, row string) call {
	c.server, c.row = server, row
	return c
}

func toolCall(tool string, args, want any) (call, error) {
	plain, err := plainJSON(want)
	if err != nil {
		return call{}, err
	}
	r, err := newRequest("tools/call", map[string]any{"name": tool, "arguments": args})
	r.name = tool
	return call{way: pipes(), request: r, check: func(result json.RawMessage) error {
		return checkCall(result, plain)
	}}, err
}

// modernCall is toolCall in the revision without sessions.
func modernCall(tool string, args, want any) (call, error) {
	c, err := toolCall(tool, args, want)
	if err != nil {
		return call{}, err
	}
	c.request, err = newRequest("tools/call", inModern(map[string]any{"name": tool, "arguments": args}))
	c.request.name = tool
	older := c.check
	c.check = func(result json.RawMessage) error {
		var got struct{ ResultType string }
		if err := json.Unmarshal(result, &got); err != nil {
			return err
		}
		if got.ResultType != "complete" {
			return fmt.Errorf("its resultType is %q, not complete", got.ResultType)
		}
		return older(result)
	}
	return c, err
}

// echoCall returns a request of the size of another one. It has the form of a response, because the echo server returns it.
func echoCall(like request) (call, error) {
	empty, err := newAnswer("")
	if err != nil {
		return call{}, err
	}
	filler := strings.Repeat("x", max(0, len(like.line)-len(empty.line)))
	r, err := newAnswer(filler)
	return call{request: r, check: func(result json.RawMessage) error {
		var got string
		if err := json.Unmarshal(result, &got); err != nil {
			return err
		}
		if got != filler {
			return errors.New("it should be what was sent")
		}
		return nil
	}}, err
}

// checkCall checks that a result has the structured content want, and the same JSON as text.
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

// plainJSON returns v as encoding/json decodes it into an interface value.
func plainJSON(v any) (any, error) {
	encoded, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var plain any
	err = json.Unmarshal(encoded, &plain)
	return plain, err
}

// sourceText returns a text of the given size that resembles source code: with line ends, tabs, quotes, and characters outside
// ASCII.
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
