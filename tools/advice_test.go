package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
)

// adviser is a set whose tools name each other in descriptions, errors and results.
type adviser struct{}

func (adviser) Features() mcp.Features {
	tool := func(name string) mcp.ServerTool {
		t := mcp.Tool{Name: name, Description: "Does it. Use read_process for the rest. See kill_process, or wait."}
		return mcp.NewTool(t, func(ctx context.Context, in struct {
			Text string `json:"text" jsonschema:"description=A hint. Of kill_process"`
			Fail bool   `json:"fail,omitempty"`
		}) (string, error) {
			if in.Fail {
				return "", &mcp.ToolError{Code: "FAILED", Message: "it failed", Next: in.Text}
			}
			if tools.Offers(ctx, "kill_process") {
				return "kill_process is offered", nil
			}
			return tools.Advice(ctx, in.Text), nil
		})
	}
	return mcp.Features{Tools: []mcp.ServerTool{tool("start_process"), tool("read_process"), tool("kill_process")}}
}

func (adviser) Close(context.Context) error { return nil }

func advised(t *testing.T, p tools.Profile) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "test"}, nil)
	in, err := tools.Install(srv, "test", p, adviser{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(context.Background()) })
	return srv
}

func TestAdvice_NamesOfferedToolsOnly(t *testing.T) {
	srv := advised(t, tools.Profile{Deny: []string{"kill_process"}})
	for text, want := range map[string]string{
		"Call read_process.":                                 "Call read_process.",
		"Call kill_process.":                                 "",
		"Wait, or call kill_process.":                        "Wait.",
		"Call kill_process, or wait.":                        "Wait.",
		"Call kill_process. Then go on.":                     "Then go on.",
		"Go on. Call kill_process. Then stop.":               "Go on. Then stop.",
		"Wait, or call kill_process. Then stop.":             "Wait. Then stop.",
		"one; kill_process ends it; two":                     "one; two",
		"give start_process waitMs=5, or kill_process":       "give start_process waitMs=5",
		"Call kill_process; read_process shows it.":          "read_process shows it.",
		"Go on. Call kill_process.\\n\\nThen stop.":          "Go on. \n\nThen stop.",
		"unknown_names and the parameter waitMs are left be": "unknown_names and the parameter waitMs are left be",
	} {
		if got := call(srv, "start_process", `{"text":"`+text+`"}`); got != want {
			t.Errorf("the hint %q is shown as %q, want %q", text, got, want)
		}
		got := call(srv, "start_process", `{"fail":true,"text":"`+text+`"}`)
		if want != "" {
			want = "\nNext step: " + want
		}
		if got != "FAILED: it failed"+want {
			t.Errorf("an error with the next step %q is shown as %q", text, got)
		}
	}
	for _, tool := range srv.Tools() {
		if want := "Does it. Use read_process for the rest. Wait."; tool.Description != want {
			t.Errorf("%s has the description %q", tool.Name, tool.Description)
		}
		if parameters := string(tool.InputSchema); !strings.Contains(parameters, `"description":"A hint."`) {
			t.Errorf("%s has the parameters %s", tool.Name, parameters)
		}
	}
}

func TestInstall_InstructionsNameOfferedTools(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "test"}, &mcp.ServerOptions{Instructions: "Start with start_process. End with kill_process."})
	instructions := func() string {
		result, err := srv.Dispatch(t.Context(), &protocol.Request{Method: "server/discover", Meta: protocol.RequestMeta{Revision: protocol.Latest}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := result.AppendJSON(nil, protocol.Latest)
		if err != nil {
			t.Fatal(err)
		}
		var found struct{ Instructions string }
		if err := json.Unmarshal(text, &found); err != nil {
			t.Fatal(err)
		}
		return found.Instructions
	}
	in, err := tools.Install(srv, "test", tools.Profile{Deny: []string{"kill_process"}}, adviser{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(context.Background())
	if got := instructions(); got != "Start with start_process." {
		t.Errorf("without kill_process the instructions are %q", got)
	}
	if err := in.Update(tools.Profile{}, adviser{}); err != nil {
		t.Fatal(err)
	}
	if got := instructions(); got != "Start with start_process. End with kill_process." {
		t.Errorf("with all tools the instructions are %q", got)
	}
}

func TestOffers_AllTools(t *testing.T) {
	if got := call(advised(t, tools.Profile{}), "start_process", `{"text":""}`); got != "kill_process is offered" {
		t.Errorf("the tool answers %q", got)
	}
	if !tools.Offers(t.Context(), "kill_process") || tools.Advice(t.Context(), "Call kill_process.") != "Call kill_process." {
		t.Error("a Go program is not offered every tool")
	}
}

// partial is the set adviser without a listed tool.
type partial struct {
	adviser
	unlisted string
}

func (p partial) Features() mcp.Features {
	f := p.adviser.Features()
	for i, t := range f.Tools {
		f.Tools[i] = t.With(mcp.ToolOptions{Unlisted: t.Tool().Name == p.unlisted})
	}
	return f
}

// A tool that is not listed, because it cannot work at present, is not advised.
func TestAdvice_UnlistedTool(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "test"}, nil)
	in, err := tools.Install(srv, "test", tools.Profile{}, partial{unlisted: "kill_process"})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(context.Background())
	const hint = `{"text":"Wait, or call kill_process."}`
	if got := call(srv, "start_process", hint); got != "Wait." {
		t.Errorf("the hint is shown as %q", got)
	}
	for _, tool := range srv.Tools() {
		if strings.Contains(tool.Description, "kill_process") {
			t.Errorf("%s has the description %q", tool.Name, tool.Description)
		}
	}
	if err := in.Update(tools.Profile{}, partial{}); err != nil {
		t.Fatal(err)
	}
	if got := call(srv, "start_process", hint); got != "kill_process is offered" {
		t.Errorf("of a listed tool the hint is shown as %q", got)
	}
}

// finder is a set with tools that read files; each call fails because a file is missing.
type finder []string

func (f finder) Features() mcp.Features {
	var features mcp.Features
	for _, name := range f {
		features.Tools = append(features.Tools, mcp.NewTool(mcp.Tool{Name: name}, func(ctx context.Context, in struct {
			Dir   string `json:"dir"`
			State string `json:"state"`
		}) (string, error) {
			root, err := security.OpenRoot(security.RootOptions{Dirs: []string{in.Dir}, StateDir: in.State})
			if err != nil {
				return "", err
			}
			defer root.Close()
			_, _, err = root.ReadFile(ctx, "missing", 100)
			return "", err
		}))
	}
	return features
}

func (finder) Close(context.Context) error { return nil }

// A missing file advises a tool that finds files only if the server lists it.
func TestAdvice_MissingFile(t *testing.T) {
	for _, tc := range []struct {
		profile tools.Profile
		want    string
	}{
		{tools.Profile{}, `List the directory "." to see its entries.`},
		{tools.Profile{Deny: []string{"list_directory"}}, "Call search_files with a part of the name."},
		{tools.Profile{Deny: []string{"list_directory", "search_files"}}, "Check the path."},
	} {
		srv := mcp.NewServer(mcp.Implementation{Name: "test"}, nil)
		in, err := tools.Install(srv, "test", tc.profile, finder{"read_file", "list_directory", "search_files"})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close(context.Background())
		args, _ := json.Marshal(map[string]string{"dir": t.TempDir(), "state": t.TempDir()})
		got := call(srv, "read_file", string(args))
		if _, next, _ := strings.Cut(got, "\nNext step: "); next != tc.want {
			t.Errorf("the next step is %q, want %q", next, tc.want)
		}
	}
}
