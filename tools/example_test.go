package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/modelapi"
)

// clock is a set of one tool.
type clock struct{}

func (clock) Features() mcp.Features {
	type args struct {
		Zone string `json:"zone,omitempty" jsonschema:"default=UTC"`
	}
	return mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "zone", Description: "Says which zone is used."}, func(_ context.Context, in args) (string, error) { return in.Zone, nil }),
	}}
}

func (clock) Close(context.Context) error { return nil }

// A profile changes a default in the schema, in validation and in the call.
func ExampleInstall() {
	srv := mcp.NewServer(mcp.Implementation{Name: "clock", Version: "1.0.0"}, nil)
	installed, err := tools.Install(srv, "clock", tools.Profile{
		Defaults: map[string]map[string]any{"zone": {"zone": "Asia/Tokyo"}},
	}, clock{})
	if err != nil {
		log.Fatal(err)
	}
	defer installed.Close(context.Background())
	fmt.Println(call(srv, "zone", `{}`))
	// Output: Asia/Tokyo
}

// A Box calls tools in process. Here the zone's tool is listed under another name, and one call has an argument that does not fit.
func ExampleNewBox() {
	ctx := context.Background()
	box, err := tools.NewBox(ctx, tools.BoxOptions{Profile: tools.Profile{Names: map[string]string{"zone": "time_zone"}}}, clock{})
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close(ctx)
	functions, err := modelapi.OpenAIChat(box.Tools())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", functions[0])
	for _, args := range []string{`{"zone":"Asia/Tokyo"}`, `{"zoen":"Asia/Tokyo"}`} {
		result, err := box.Call(ctx, "time_zone", json.RawMessage(args))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(modelapi.Text(result))
	}
	// Output:
	// {"type":"function","function":{"name":"time_zone","description":"Says which zone is used.","parameters":{"type":"object","properties":{"zone":{"type":"string","default":"UTC"}},"additionalProperties":false}}}
	// Asia/Tokyo
	// INVALID_PARAMS: unknown argument "zoen" (did you mean "zone"?)
	// Next step: correct the arguments and call again
}
