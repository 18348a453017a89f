package telemetry_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/telemetry"
)

var quiet = slog.New(slog.DiscardHandler)

// Tool definitions are short, because every conversation contains them.
func TestTools_DefinitionSize(t *testing.T) {
	const most, mean = 420, 350 // one has four parameters, all of them required
	sum := 0
	set := newSet(t, telemetry.Options{})
	for _, made := range set.Features().Tools {
		tool := made.Tool()
		tool.OutputSchema = nil
		data, err := json.Marshal(struct {
			Name        string               `json:"name"`
			Description string               `json:"description"`
			InputSchema json.RawMessage      `json:"inputSchema"`
			Annotations *mcp.ToolAnnotations `json:"annotations"`
		}{tool.Name, tool.Description, tool.InputSchema, tool.Annotations})
		if err != nil || len(data) > most {
			t.Errorf("%s has %d bytes, at most %d are allowed: %s (%v)", tool.Name, len(data), most, data, err)
		}
		sum += len(data)
	}
	if sum > 4*mean {
		t.Errorf("all have %d bytes, at most %d are allowed", sum, 4*mean)
	}
}

// The tools take the parameters of the specification and answer with its members.
func TestTools_Results(t *testing.T) {
	prices, err := telemetry.ParsePrices([]byte(`{"models":{"gpt-5":{"inputPer1k":0.00125,"outputPer1k":0.01}}}`))
	if err != nil {
		t.Fatal(err)
	}
	recorder := telemetry.NewRecorder()
	set := newSet(t, telemetry.Options{
		Recorder: recorder, Prices: prices, Model: telemetry.ModelInfo{Name: "gpt-5"}, Server: mcp.Implementation{Name: "cursorcli", Version: "1.2.3"},
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	installed, err := tools.Install(srv, "telemetry", tools.Profile{Wrap: []mcp.ToolMiddleware{recorder.Middleware}}, set)
	if err != nil {
		t.Fatal(err)
	}
	defer installed.Close(context.Background())
	for _, step := range []struct {
		tool, args string
		text       string
		json       []string
	}{
		{"get_current_model", `{}`, "gpt-5 (openai), context window about 400000 tokens, per 1k tokens 0.00125 in and 0.01 out; source: config",
			[]string{`"name":"gpt-5"`, `"provider":"openai"`, `"contextWindow":400000`, `"costPer1kTokens":{"input":0.00125,"output":0.01}`, `"source":"config"`, `"approximate":true`}},
		{"track_token_usage", `{"modelName":"gpt-5","inputTokens":1000,"outputTokens":200,"duration":812.5}`, "gpt-5 in all: 1 use, 1000 tokens in, 200 out",
			[]string{`"model":"gpt-5"`, `"count":1`, `"tokens":{"input":1000,"output":200}`, `"averageDuration":812.5`}},
		{"track_token_usage", `{"modelName":"local","inputTokens":0,"outputTokens":7,"duration":0}`, "local in all: 1 use, 0 tokens in, 7 out", nil},
		{"track_token_usage", `{"modelName":"gpt-5","inputTokens":-1,"outputTokens":0,"duration":1}`, "INVALID_PARAMS", nil},
		{"get_model_statistics", `{}`, "1 session: 1000 tokens in, 207 out, 406.25 ms a use; about 0.00325 USD\n" +
			"gpt-5\t1 use\t1000 in\t200 out\t812.5 ms\nlocal\t1 use\t0 in\t7 out\t0 ms\nwithout a price: local\n",
			[]string{`"totalSessions":1`, `"totalTokensUsed":{"input":1000,"output":207}`, `"estimatedCost":0.00325`, `"currency":"USD"`, `"averageDuration":406.25`,
				`"modelBreakdown":{"gpt-5":{"count":1,"tokens":{"input":1000,"output":200},"averageDuration":812.5},"local":{`, `"unpriced":["local"]`}},
		{"get_model_statistics", `{"model":"lo"}`, "\nlocal\t1 use", []string{`"modelBreakdown":{"local":{`}},
		{"get_server_stats", `{"tool":"get_current"}`, "cursorcli 1.2.3, up 0s since ",
			[]string{`"version":"1.2.3"`, `"uptime":`, `"startedAt":"20`, `"requests":{"total":6,"errors":0,"errorsByCode":{"INVALID_PARAMS":1},"rejected":1,`, `"byTool":{"get_current_model":{"count":1,"errors":0,"latency":{`,
				`"inFlight":1`, `"sessions":{"total":1,"active":1}`, `"clients":[{"name":"editor","version":"2","transport":"http","requests":7}]`, `"heap":`, `"goVersion":"go1`}},
	} {
		t.Run(step.tool, func(t *testing.T) {
			req := client{name: "editor", version: "2"}.request(t, step.tool)
			req.Params = json.RawMessage(strings.Replace(string(req.Params), `{"name"`, `{"arguments":`+step.args+`,"name"`, 1))
			result, err := srv.Dispatch(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			answer := result.(*mcp.ToolResult)
			if got := toolsettest.Text(t, answer); !strings.Contains(got, step.text) {
				t.Errorf("text %q, want %q", got, step.text)
			}
			for _, part := range step.json {
				if !strings.Contains(string(answer.Structured), part) {
					t.Errorf("%s\nlacks %s", answer.Structured, part)
				}
			}
		})
	}
}

// New reports all problems of the options in one error.
func TestNew_InvalidOptions(t *testing.T) {
	_, err := telemetry.New(tools.Env{}, telemetry.Options{
		Model:   telemetry.ModelInfo{Name: "a\nb"},
		Default: telemetry.ModelInfo{Name: "m", ContextWindow: -1},
	})
	wantParts(t, err, "current model", "cannot be shown", "default model", "context window")
	for name, model := range map[string]telemetry.ModelInfo{
		"no name":       {Provider: "p"},
		"long name":     {Name: strings.Repeat("n", 129)},
		"odd provider":  {Name: "m", Provider: "\u202eevil"},
		"odd version":   {Name: "m", Version: " 1"},
		"negative cost": {Name: "m", Cost: &telemetry.Cost{Input: -1}},
	} {
		if _, err := telemetry.New(tools.Env{}, telemetry.Options{Model: model}); err == nil {
			t.Errorf("%s: the model %+v was taken", name, model)
		}
	}
}

func TestTrackTokenUsage_Invalid(t *testing.T) {
	set := newSet(t, telemetry.Options{})
	for name, args := range map[string]telemetry.TrackArgs{
		"no name":        {},
		"nothing shown":  {ModelName: " \x00\u200b\n "},
		"broken text":    {ModelName: "\xff\xfe"},
		"negative":       {ModelName: "m", InputTokens: -1},
		"too many in":    {ModelName: "m", InputTokens: 1_000_000_000_001},
		"too many out":   {ModelName: "m", OutputTokens: 1_000_000_000_001},
		"negative time":  {ModelName: "m", Duration: -0.001},
		"no number":      {ModelName: "m", Duration: math.NaN()},
		"too long":       {ModelName: "m", Duration: 1e13},
		"infinitely far": {ModelName: "m", Duration: math.Inf(1)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := set.TrackTokenUsage(t.Context(), args)
			toolsettest.WantError(t, err, "INVALID_PARAMS")
		})
	}
	if got := statistics(t, set); got.TotalSessions != 0 || len(got.ModelBreakdown) != 0 {
		t.Errorf("refused uses were counted: %+v", got)
	}
}

// However much there is to tell, an answer keeps to its budget, in each of its forms, and says how to get at the rest.
func TestTools_AnswerBudget(t *testing.T) {
	for _, budget := range []int{1, 600, 2_000, 32 << 10} {
		recorder := telemetry.NewRecorder()
		set, err := telemetry.New(tools.Env{Limits: tools.Limits{Answer: budget}}, telemetry.Options{Recorder: recorder})
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("x", 100)
		for i := range 1_200 {
			use(t, set, t.Context(), numbered("model", i)+long, int64(i), 0, 1)
		}
		for i := range 300 {
			c := client{name: numbered("client", i) + long}
			if _, err := c.within(t, numbered("tool", i)+"-"+long[:20], succeed, recorder.Middleware); err != nil {
				t.Fatal(err)
			}
		}
		usage, server := statistics(t, set), serverStats(t, set)
		if !usage.Truncated || usage.TotalTokensUsed.Input != 1_200*1_199/2 || server.Requests.Total != 300 || !server.Truncated {
			t.Errorf("budget %d: truncated %v and %v, sums %+v and %d", budget, usage.Truncated, server.Truncated, usage.TotalTokensUsed, server.Requests.Total)
		}
		for _, answer := range []interface{ TextContent() string }{usage, server} {
			data, err := json.Marshal(answer)
			if most := max(budget, 1_000); err != nil || len(data) > most || len(answer.TextContent()) > most { // sums have some size
				t.Errorf("%T with a budget of %d has %d bytes of JSON and %d of text (%v)", answer, budget, len(data), len(answer.TextContent()), err)
			}
		}
		if !strings.Contains(usage.TextContent(), "name prefix") {
			t.Errorf("the text does not name the next call: %s", usage.TextContent())
		}
		one, err := set.ModelStatistics(t.Context(), telemetry.StatisticsArgs{Model: "model0007"})
		if _, ok := one.ModelBreakdown["model0007"+long]; budget >= 2_000 && (err != nil || !ok) {
			t.Errorf("asking for one model: %+v, %v", one, err)
		}
	}
}
