package mcptest_test

//lint:file-ignore SA1019 deprecated parts of the protocol work in every revision

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
)

// failing is a test that may fail without failing this one.
type failing struct {
	testing.TB
	text strings.Builder
}

func (f *failing) Errorf(format string, args ...any) { fmt.Fprintf(&f.text, format+"\n", args...) }

func (f *failing) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

func (f *failing) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

// verdict runs a check and returns its output.
func verdict(t *testing.T, check func(testing.TB)) string {
	f := &failing{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(f)
	}()
	<-done
	return f.text.String()
}

type name struct {
	Name string `json:"name" jsonschema:"minLength=2"`
}

func asking(h func(context.Context, struct{}) (string, error)) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: "ask"}, h)
}

func elicit(ctx context.Context, key, message string) (string, error) {
	answer, err := mcp.Elicit[name](ctx, key, message)
	return string(answer.Action) + " " + answer.Value.Name, err
}

func TestCheckReplay(t *testing.T) {
	round := 0
	for title, tc := range map[string]struct {
		handler func(context.Context, struct{}) (string, error)
		answers mcptest.Answers
		want    string // the text, if all is well
		finding string // expected message of a failure
	}{
		"a handler that does the same every time": {
			handler: func(ctx context.Context, _ struct{}) (string, error) {
				number, err := mcp.Once(ctx, "draw", func() (int, error) { return 40 + round, nil })
				if err != nil {
					return "", err
				}
				first, err := elicit(ctx, "first", fmt.Sprintf("Who has number %d?", number))
				if err != nil {
					return "", err
				}
				if _, err := mcp.Once(ctx, "note", func() (string, error) { return first, nil }); err != nil {
					return "", err
				}
				second, err := elicit(ctx, "second", "And then?")
				if err != nil {
					return "", err
				}
				if err := mcp.Confirm(ctx, "sure", "Sure?"); err != nil {
					return "", err
				}
				return fmt.Sprint(number, " ", first, " ", second), nil
			},
			answers: mcptest.Answers{"first": name{"Ada"}, "second": mcp.Decline, "sure": mcp.Accept},
			want:    "41 accept Ada decline ",
		},
		"questions of all kinds": {
			handler: func(ctx context.Context, _ struct{}) (string, error) {
				form, err := mcp.FormQuestion[name]("form", "Who?")
				if err != nil {
					return "", err
				}
				//lint:ignore SA1019 every revision must go on working
				roots := mcp.RootsQuestion("roots")
				answers, err := mcp.AskAll(ctx, form, mcp.URLQuestion("url", "Sign in", "https://example.com/"), roots)
				return fmt.Sprintf("%s", answers), err
			},
			answers: mcptest.Answers{"form": map[string]string{"name": "Ada"}, "url": mcp.Accept, "roots": json.RawMessage(`{"roots":[]}`)},
			want:    `[{"action":"accept","content":{"name":"Ada"}} {"action":"accept"} {"roots":[]}]`,
		},
		"another question under the same key": {
			handler: func(ctx context.Context, _ struct{}) (string, error) {
				return elicit(ctx, "who", fmt.Sprintf("Who are you, for the %d. time?", round))
			},
			answers: mcptest.Answers{"who": name{"Ada"}},
			finding: `round 2 asks "who" in other words than before`,
		},
		"another question before the first": {
			handler: func(ctx context.Context, _ struct{}) (string, error) {
				if round > 1 {
					if _, err := elicit(ctx, "new", "Something new?"); err != nil {
						return "", err
					}
				}
				return elicit(ctx, "who", "Who are you?")
			},
			answers: mcptest.Answers{"who": name{"Ada"}, "new": name{"Bob"}},
			finding: `round 2 came to the question "new"`,
		},
		"a key that changes": {
			handler: func(ctx context.Context, _ struct{}) (string, error) {
				return elicit(ctx, fmt.Sprint("who", round), "Who are you?")
			},
			answers: mcptest.Answers{"who1": name{"Ada"}},
			finding: `asks "who2", to which there is no answer`,
		},
		"a step under another key": {
			handler: func(ctx context.Context, _ struct{}) (string, error) {
				if _, err := mcp.Once(ctx, fmt.Sprint("draw", round), func() (int, error) { return round, nil }); err != nil {
					return "", err
				}
				return elicit(ctx, "who", "Who are you?")
			},
			answers: mcptest.Answers{"who": name{"Ada"}},
			finding: `round 2 came to the step "draw2" where round 1 came to the step "draw1"`,
		},
		"a step that is left out": {
			handler: func(ctx context.Context, _ struct{}) (string, error) {
				if round > 1 {
					return "done", nil
				}
				return elicit(ctx, "who", "Who are you?")
			},
			answers: mcptest.Answers{"who": name{"Ada"}},
			finding: `round 2 ended before it came to the question "who"`,
		},
		"an answer that does not fit": {
			handler: func(ctx context.Context, _ struct{}) (string, error) { return elicit(ctx, "who", "Who are you?") },
			answers: mcptest.Answers{"who": name{"A"}},
			finding: `asks "who" again: the answer {A} does not fit`,
		},
		"an answer that cannot be encoded": {
			handler: func(ctx context.Context, _ struct{}) (string, error) { return elicit(ctx, "who", "Who are you?") },
			answers: mcptest.Answers{"who": func() {}},
			finding: `encoding the answer to "who"`,
		},
	} {
		t.Run(title, func(t *testing.T) {
			round = 0
			srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{asking(func(ctx context.Context, in struct{}) (string, error) {
				round++
				return tc.handler(ctx, in)
			})}})
			var text string
			said := verdict(t, func(t testing.TB) {
				result := mcptest.CheckReplay(t, srv, "ask", struct{}{}, tc.answers)
				text = result.Content[0].(mcp.TextContent).Text
			})
			if !strings.Contains(said, tc.finding) || tc.finding == "" && said != "" {
				t.Errorf("the check said %q, want %q", said, tc.finding)
			}
			if tc.finding == "" && text != tc.want {
				t.Errorf("the result is %q, want %q", text, tc.want)
			}
		})
	}
}

// Prompts and resources may ask as tools do.
func TestCheckReplayOf_OtherMethods(t *testing.T) {
	srv := mcptest.Server(t, mcp.Features{
		Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "ask"}, func(ctx context.Context, _ struct{}) (*mcp.PromptResult, error) {
			text, err := elicit(ctx, "who", "Who are you?")
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(text)}}, err
		})},
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "a:b", Name: "b"}, func(ctx context.Context, uri string) ([]mcp.ResourceContents, error) {
			text, err := elicit(ctx, "who", "Who are you?")
			return []mcp.ResourceContents{{URI: uri, Text: text}}, err
		})},
	})
	for method, params := range map[string]map[string]any{"prompts/get": {"name": "ask"}, "resources/read": {"uri": "a:b"}} {
		result := mcptest.CheckReplayOf(t, srv, method, params, mcptest.Answers{"who": name{"Ada"}})
		if !strings.Contains(string(result), `"text":"accept Ada"`) {
			t.Errorf("%s: %s", method, result)
		}
	}
}

func TestCheckReplay_RequestFails(t *testing.T) {
	srv := mcptest.Server(t, mcp.Features{})
	for _, params := range []map[string]any{{"name": "none"}, {"name": func() {}}, {"_meta": 1}} {
		said := verdict(t, func(t testing.TB) { mcptest.CheckReplayOf(t, srv, "tools/call", params, nil) })
		if said == "" {
			t.Errorf("params %v passed", params)
		}
	}
}

func TestServer_InvalidTool(t *testing.T) {
	said := verdict(t, func(t testing.TB) {
		mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "no name"}, func(context.Context, struct{}) (string, error) { return "", nil })}})
	})
	if !strings.Contains(said, "no name") {
		t.Errorf("it said %q", said)
	}
}

// The answer of a model is a *mcp.SampleResult.
func TestCheckReplay_Sampling(t *testing.T) {
	joke := mcp.NewTool(mcp.Tool{Name: "joke"}, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Sample(ctx, "joke", mcp.SampleParams{Prompt: "Tell a joke."})
		if err != nil {
			return "", err
		}
		return answer.Text(), nil
	})
	srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{joke}})
	answer := &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: "No."}}, Model: "m"}
	if result := mcptest.CheckReplay(t, srv, "joke", nil, mcptest.Answers{"joke": answer}); result.IsError || result.Content[0].(mcp.TextContent).Text != "No." {
		t.Errorf("the result is %+v", result)
	}
}
