package telemetry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/telemetry"
)

func TestCurrentModel_Sources(t *testing.T) {
	environment := func(variables map[string]string) func(string) string {
		return func(name string) string { return variables[name] }
	}
	for name, tc := range map[string]struct {
		options telemetry.Options
		meta    string // of the client; "-" for a call in process
		want    telemetry.ModelInfo
	}{
		"nobody says": {
			want: telemetry.ModelInfo{Name: "unknown", Provider: "unknown", ContextWindow: 128_000, Source: "default", Approximate: true},
		},
		"in process": {
			meta: "-",
			want: telemetry.ModelInfo{Name: "unknown", Provider: "unknown", ContextWindow: 128_000, Source: "default", Approximate: true},
		},
		"a default": {
			options: telemetry.Options{Default: telemetry.ModelInfo{Name: "house", Provider: "us", ContextWindow: 9_000}},
			want:    telemetry.ModelInfo{Name: "house", Provider: "us", ContextWindow: 9_000, Source: "default"},
		},
		"a default by name": {
			options: telemetry.Options{Default: telemetry.ModelInfo{Name: "gpt-4o-mini"}},
			want:    telemetry.ModelInfo{Name: "gpt-4o-mini", Provider: "openai", ContextWindow: 128_000, Source: "default", Approximate: true},
		},
		"the client, by name": {
			meta: `"cursor/model":"claude-4-sonnet"`,
			want: telemetry.ModelInfo{Name: "claude-4-sonnet", Provider: "anthropic", ContextWindow: 200_000, Source: "client", Approximate: true},
		},
		"the client, as an object": {
			meta: `"dougu/model":{"name":"m1","provider":"p1","version":"3","contextWindow":5000,"costPer1kTokens":{"input":0,"output":0},"more":[1]}`,
			want: telemetry.ModelInfo{Name: "m1", Provider: "p1", Version: "3", ContextWindow: 5_000, Source: "client"},
		},
		"the longest beginning, behind a router": {
			meta: `"dougu/model":"OpenRouter/anthropic/Claude-Sonnet-4-6"`,
			want: telemetry.ModelInfo{Name: "OpenRouter/anthropic/Claude-Sonnet-4-6", Provider: "anthropic", ContextWindow: 1_000_000, Source: "client", Approximate: true},
		},
		"an unknown model has the window of the default": {
			options: telemetry.Options{Default: telemetry.ModelInfo{Name: "house", ContextWindow: 9_000}},
			meta:    `"dougu/model":"zzz"`,
			want:    telemetry.ModelInfo{Name: "zzz", Provider: "unknown", ContextWindow: 9_000, Source: "client", Approximate: true},
		},
		"what the client says first": {
			meta: `"cursor/model":"two","io.github.dougu-go/model":"one"`,
			want: telemetry.ModelInfo{Name: "one", Provider: "unknown", ContextWindow: 128_000, Source: "client", Approximate: true},
		},
		"the environment comes before the client": {
			options: telemetry.Options{Environment: environment(map[string]string{"CURSOR_MODEL": " gemini-2.5-pro\n"})},
			meta:    `"dougu/model":"m"`,
			want:    telemetry.ModelInfo{Name: "gemini-2.5-pro", Provider: "google", ContextWindow: 1_048_576, Source: "environment", Approximate: true},
		},
		"the first variable": {
			options: telemetry.Options{Environment: environment(map[string]string{"CURSOR_MODEL": "b", "CURSORCLI_MCP_MODEL": "a"})},
			want:    telemetry.ModelInfo{Name: "a", Provider: "unknown", ContextWindow: 128_000, Source: "environment", Approximate: true},
		},
		"another variable": {
			options: telemetry.Options{Environment: environment(map[string]string{"CURSOR_MODEL": "b", "MY_MODEL": "c"}), EnvironmentNames: []string{"MY_MODEL"}},
			want:    telemetry.ModelInfo{Name: "c", Provider: "unknown", ContextWindow: 128_000, Source: "environment", Approximate: true},
		},
		"a variable that is no name": {
			options: telemetry.Options{Environment: environment(map[string]string{"CURSORCLI_MCP_MODEL": "a\x1b[31m", "CURSOR_MODEL": "b"})},
			want:    telemetry.ModelInfo{Name: "b", Provider: "unknown", ContextWindow: 128_000, Source: "environment", Approximate: true},
		},
		"the configuration comes first": {
			options: telemetry.Options{
				Model:       telemetry.ModelInfo{Name: "m", Provider: "p", Version: "v", ContextWindow: 7, Cost: &telemetry.Cost{Input: 1, Output: 2}, Source: "client", Approximate: true},
				Environment: environment(map[string]string{"CURSOR_MODEL": "b"}),
			},
			meta: `"dougu/model":"m"`,
			want: telemetry.ModelInfo{Name: "m", Provider: "p", Version: "v", ContextWindow: 7, Cost: &telemetry.Cost{Input: 1, Output: 2}, Source: "config"},
		},
		"another key": {
			options: telemetry.Options{ClientKeys: []string{"com.example/llm"}},
			meta:    `"dougu/model":"m","com.example/llm":"n"`,
			want:    telemetry.ModelInfo{Name: "n", Provider: "unknown", ContextWindow: 128_000, Source: "client", Approximate: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := newSet(t, tc.options)
			ctx := t.Context()
			if tc.meta != "-" {
				ctx = client{meta: tc.meta}.context(t)
			}
			got, err := set.CurrentModel(ctx, telemetry.CurrentModelArgs{})
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v; want - got +:\n%s", err, diff)
			}
			if text := got.TextContent(); !strings.Contains(text, got.Name) || !strings.Contains(text, string(got.Source)) {
				t.Errorf("the text %q", text)
			}
		})
	}
}

// An invalid model in the request is ignored.
func TestCurrentModel_InvalidClientModel(t *testing.T) {
	set := newSet(t, telemetry.Options{})
	for _, value := range []string{
		`null`, `7`, `""`, `" "`, `[]`, `{}`, `{"provider":"p"}`, `{"name":"m","contextWindow":-1}`, `{"name":"m","contextWindow":1.5}`, `{"name":"m","contextWindow":1000000001}`,
		`{"name":"m","contextWindow":"1"}`, `{"name":"m","provider":"a\u0000b"}`, `{"name":["m"]}`, `"a\nb"`, `"\u202egpt"`, `"` + strings.Repeat("x", 129) + `"`,
		`{"name":"m","x":"` + strings.Repeat("x", 5_000) + `"}`,
	} {
		got, err := set.CurrentModel(client{meta: `"dougu/model":` + value}.context(t), telemetry.CurrentModelArgs{})
		if err != nil || got.Source != telemetry.FromDefault {
			t.Errorf("%s: %+v, %v", value, got, err)
		}
	}
	got, err := set.CurrentModel(client{meta: `"dougu/model":7,"cursor/model":"m"`}.context(t), telemetry.CurrentModelArgs{})
	if err != nil || got.Name != "m" {
		t.Errorf("the next key was not asked: %+v, %v", got, err)
	}
}

// Changes of the returned model do not affect the set.
func TestCurrentModel_Copy(t *testing.T) {
	set := newSet(t, telemetry.Options{Model: telemetry.ModelInfo{Name: "m", Cost: &telemetry.Cost{Input: 1}}})
	for range 2 {
		got, err := set.CurrentModel(t.Context(), telemetry.CurrentModelArgs{})
		if err != nil || got.Cost.Input != 1 {
			t.Fatalf("%+v, %v", got.Cost, err)
		}
		got.Cost.Input = 9
	}
}

func FuzzClientModel(f *testing.F) {
	for _, seed := range []string{`"gpt-5"`, `{"name":"m","provider":"p","version":"1","contextWindow":10}`, `"\ud800"`, `{"NAME":"x","name":"\u0007"}`, `1e999`, `"a/"`} {
		f.Add([]byte(seed))
	}
	set := newSet(f, telemetry.Options{})
	f.Fuzz(func(t *testing.T, value []byte) {
		if !json.Valid(value) {
			return
		}
		got, err := set.CurrentModel(client{meta: `"dougu/model":` + string(value)}.context(t), telemetry.CurrentModelArgs{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{got.Name, got.Provider, got.Version} {
			if len(text) > 128 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) || strings.TrimSpace(text) != text {
				t.Errorf("%s gave %q", value, text)
			}
		}
		if got.Name == "" || got.Provider == "" || got.ContextWindow <= 0 || got.ContextWindow > 1_000_000_000 || got.Cost != nil ||
			got.Source != telemetry.FromClient && got.Source != telemetry.FromDefault {
			t.Errorf("%s gave %+v", value, got)
		}
	})
}

// With OnlyKnownModel the tool is listed from the first call on that names a valid model, which a watch reports once.
func TestCurrentModel_OnlyKnown(t *testing.T) {
	recorder := telemetry.NewRecorder()
	set := newSet(t, telemetry.Options{Recorder: recorder, OnlyKnownModel: true})
	isListed := func() bool {
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		if err := srv.Replace("test", set.Features()); err != nil {
			t.Fatal(err)
		}
		req := client{}.request(t, "")
		req.Method = "tools/list"
		result, err := srv.Dispatch(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "get_current_model")
	}
	reports := 0
	stop := set.Watch(func() { reports++ })
	call := func(meta string) {
		if _, err := (client{meta: meta}).within(t, "probe", func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.Text(""), nil }, recorder.Middleware); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		meta    string
		listed  bool
		reports int
	}{{"", false, 0}, {`"cursor/model":""`, false, 0}, {`"other/model":"m"`, false, 0}, {`"cursor/model":"m"`, true, 1}, {`"dougu/model":"n"`, true, 1}, {"", true, 1}} {
		if call(step.meta); isListed() != step.listed || reports != step.reports {
			t.Errorf("after a call with %q: listed %v, %d reports; want %v, %d", step.meta, isListed(), reports, step.listed, step.reports)
		}
	}
	stop()
}
