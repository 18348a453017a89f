package usage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel/usage"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collected are the points of all metrics, as "name{attributes} value".
func collected(t *testing.T, reader sdkmetric.Reader) (all []string) {
	t.Helper()
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	for _, scope := range got.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					all = append(all, fmt.Sprintf("%s%s %d", m.Name, p.Attributes.Encoded(encoder{}), p.Value))
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					all = append(all, fmt.Sprintf("%s%s %d", m.Name, p.Attributes.Encoded(encoder{}), p.Value))
				}
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					all = append(all, fmt.Sprintf("%s%s %v", m.Name, p.Attributes.Encoded(encoder{}), p.Value))
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return strings.HasPrefix(s, "dougu.memory.heap") })
}

func TestUsage_Metrics(t *testing.T) {
	recorder := telemetry.NewRecorder()
	prices, err := telemetry.ParsePrices([]byte(`{"currency":"USD","models":{"gpt-5":{"inputPer1k":0.001,"outputPer1k":0.01}}}`))
	if err != nil {
		t.Fatal(err)
	}
	set, err := telemetry.New(tools.Env{}, telemetry.Options{Recorder: recorder})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(context.Background())
	set.SetPrices(prices)
	srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, err := range map[string]error{"good": nil, "bad": &mcp.ToolError{Code: "NO_LUCK"}} {
		tool := mcp.NewTool(mcp.Tool{Name: name, Description: name}, func(context.Context, struct{}) (string, error) { return "", err })
		if err := srv.Replace(name, mcp.Features{Tools: []mcp.ServerTool{tool.Wrap(recorder.Middleware)}}); err != nil {
			t.Fatal(err)
		}
	}
	srv.Use(recorder.Requests)
	reader := sdkmetric.NewManualReader()
	stop, err := usage.Observe(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), usage.Source{Recorder: recorder, Models: set.ModelStatistics})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"good", "good", "bad"} {
		if _, err := srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: []byte(`{"name":"` + tool + `"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := set.TrackTokenUsage(t.Context(), telemetry.TrackArgs{ModelName: "gpt-5", InputTokens: 1_000_000, OutputTokens: 100_000}); err != nil {
		t.Fatal(err)
	}
	got := collected(t, reader)
	for _, want := range []string{
		"dougu.requests{dougu.outcome=succeeded,mcp.method.name=tools/call} 2",
		"dougu.requests{dougu.outcome=failed,mcp.method.name=tools/call} 1",
		"dougu.tool.calls{dougu.outcome=succeeded,gen_ai.tool.name=good} 2",
		"dougu.tool.calls{dougu.outcome=failed,gen_ai.tool.name=bad} 1",
		"dougu.tool.errors{dougu.tool.error.code=NO_LUCK} 1",
		"dougu.requests.active{} 0", "dougu.tool.calls.active{} 0", "dougu.sessions{} 2", "dougu.sessions.active{} 2",
		"dougu.model.uses{gen_ai.request.model=gpt-5} 1",
		"dougu.model.tokens{gen_ai.request.model=gpt-5,gen_ai.token.type=input} 1000000",
		"dougu.model.tokens{gen_ai.request.model=gpt-5,gen_ai.token.type=output} 100000",
		"dougu.model.cost{dougu.currency=USD} 2",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among\n%s", want, strings.Join(got, "\n"))
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if got := collected(t, reader); len(got) > 0 {
		t.Errorf("after the end: %q", got)
	}
}

func TestUsage_UnreadableStatistics(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	_, err := usage.Observe(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), usage.Source{
		Models: func(context.Context, telemetry.StatisticsArgs) (telemetry.ModelStatistics, error) {
			return telemetry.ModelStatistics{}, errors.New("no luck")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("collecting says %v", err)
	}
}

// encoder writes attributes for people.
type encoder struct{}

// Encode implements attribute.Encoder.
func (encoder) Encode(all attribute.Iterator) string {
	var parts []string
	for all.Next() {
		parts = append(parts, string(all.Attribute().Key)+"="+all.Attribute().Value.String())
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// ID implements attribute.Encoder.
func (encoder) ID() attribute.EncoderID { return attribute.EncoderID{} }
