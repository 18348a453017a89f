package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

type reviewArgs struct {
	Code   string  `json:"code" jsonschema:"title=Code,description=What to review,minLength=1"`
	Focus  string  `json:"focus,omitempty" jsonschema:"enum=Speed,enum=Safety,enum=Style,default=Style"`
	Author *string `json:"author"`
}

func review(_ context.Context, in reviewArgs) (*mcp.PromptResult, error) {
	return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(fmt.Sprintf("%s/%s/%v", in.Code, in.Focus, in.Author != nil))}}, nil
}

// The arguments of a prompt are the fields of its struct.
func TestNewPrompt_Arguments(t *testing.T) {
	p := mcp.NewPrompt(mcp.Prompt{Name: "review", Description: "Reviews."}, review)
	want := []mcp.PromptArgument{{Name: "code", Title: "Code", Description: "What to review", Required: true}, {Name: "focus"}, {Name: "author"}}
	if got := p.Prompt(); p.Err() != nil || !reflect.DeepEqual(got.Arguments, want) {
		t.Errorf("%+v, %v", got, p.Err())
	}
	for _, tc := range []struct {
		args map[string]string
		want string
	}{
		{map[string]string{"code": "x"}, "x/Style/false"},
		{map[string]string{"code": "\u2028", "focus": "Speed", "author": ""}, "\u2028/Speed/true"},
		{nil, "code: required"},
		{map[string]string{"code": "", "focus": "speed", "nobody": ""}, "code: must have at least 1 character"},
		{map[string]string{"code": "x", "focus": "speed"}, "focus: must be one of"},
		{map[string]string{"code": "x", "autor": "y"}, `unknown argument "autor" (did you mean "author"?)`},
	} {
		result, err := p.Get(t.Context(), tc.args)
		got := ""
		switch {
		case err == nil:
			got = result.Messages[0].Content.(mcp.TextContent).Text
		case code(err) == protocol.CodeInvalidParams:
			got = err.Error()
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%v: %q, %v; want %s", tc.args, got, err, tc.want)
		}
	}
}

func TestNewPrompt_MapArguments(t *testing.T) {
	p := mcp.NewPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a", Required: true}, {Name: "b"}}}, func(_ context.Context, in map[string]string) (*mcp.PromptResult, error) {
		return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(fmt.Sprint(in))}}, nil
	})
	result, err := p.Get(t.Context(), map[string]string{"a": "1"})
	if err != nil || result.Messages[0].Content.(mcp.TextContent).Text != "map[a:1]" {
		t.Errorf("%+v, %v", result, err)
	}
	for _, args := range []map[string]string{{"b": "1"}, {"a": "1", "c": "2"}} {
		if _, err := p.Get(t.Context(), args); code(err) != protocol.CodeInvalidParams {
			t.Errorf("%v: %v", args, err)
		}
	}
	none := mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil })
	if result, err := none.Get(t.Context(), nil); err != nil || len(result.Messages) != 0 {
		t.Errorf("nothing at all: %+v, %v", result, err)
	}
}

func TestNewPrompt_Problems(t *testing.T) {
	anything := func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil }
	for _, tc := range []struct {
		prompt mcp.ServerPrompt
		want   string
	}{
		{mcp.NewPrompt(mcp.Prompt{}, review), "1 to 256 bytes"},
		{mcp.NewPrompt[reviewArgs](mcp.Prompt{Name: "p"}, nil), "no handler"},
		{mcp.NewPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{}}, review), "Arguments must be nil"},
		{mcp.NewPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}, {Name: "a"}}}, anything), `"a" has no name or occurs twice`},
		{mcp.NewPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{}}}, anything), "has no name"},
		{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, map[string]any) (*mcp.PromptResult, error) { return nil, nil }), "neither a struct nor map[string]string"},
		{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{ N int }) (*mcp.PromptResult, error) { return nil, nil }), `"N" is not text`},
		{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{ L []string }) (*mcp.PromptResult, error) { return nil, nil }), `"L" is a list`},
		{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{ C chan int }) (*mcp.PromptResult, error) { return nil, nil }), "chan"},
		{mcp.NewPrompt(mcp.Prompt{Name: "p"}, review).Complete("cod", nil), `no argument "cod"`},
	} {
		err := mcp.NewServer(mcp.Implementation{}, nil).Replace("o", mcp.Features{Prompts: []mcp.ServerPrompt{tc.prompt}})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %s", err, tc.want)
		}
		if _, err := tc.prompt.Get(t.Context(), nil); err == nil {
			t.Errorf("%s: it was run", tc.want)
		}
	}
}

func TestGetPrompt_Errors(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		code int64
	}{
		"the client is to blame": {&mcp.ToolError{Code: "INVALID_PARAMS", Message: "not so"}, protocol.CodeInvalidParams},
		"the server is":          {&mcp.ToolError{Code: "BUSY", Message: "not now"}, protocol.CodeInternal},
		"a protocol error":       {protocol.Errorf(7, "seven"), 7},
		"a plain error":          {errors.New("no luck"), protocol.CodeInternal},
	} {
		p := mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{}) (*mcp.PromptResult, error) { return nil, tc.err })
		if _, err := dispatch(t, offering(t, nil, mcp.Features{Prompts: []mcp.ServerPrompt{p}}), "prompts/get", `{"name":"p"}`); code(err) != tc.code || !strings.Contains(err.Error(), tc.err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A prompt is a value: it may be in several servers, with other options.
func TestServerPrompt_IsValue(t *testing.T) {
	result := &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("123456"), mcp.AssistantText("789")}}
	p := mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{}) (*mcp.PromptResult, error) { return result, nil })
	small := p.With(mcp.PromptOptions{MaxResult: 8, Unlisted: true})
	if _, err := small.Get(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "RESULT_TOO_LARGE") || small.Options().MaxResult != 8 {
		t.Errorf("too much: %v", err)
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	if err := mcp.AddPrompt(srv, mcp.Prompt{Name: "q"}, review); err != nil {
		t.Fatal(err)
	}
	if err := srv.Replace("o", mcp.Features{Prompts: []mcp.ServerPrompt{p.With(mcp.PromptOptions{Unlisted: true})}}); err != nil {
		t.Fatal(err)
	}
	got, err := dispatch(t, srv, "prompts/get", `{"name":"p"}`)
	if err != nil || !strings.Contains(got, "123456") || len(srv.Prompts()) != 1 || srv.Prompts()[0].Name != "q" {
		t.Errorf("%s, %v; listed are %v", got, err, srv.Prompts())
	}
}
