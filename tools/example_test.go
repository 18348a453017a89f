package tools_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
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
