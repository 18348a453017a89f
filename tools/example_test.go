package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
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

// shop is a set of two tools. An error of the one recommends the other.
type shop struct{}

func (shop) Features() mcp.Features {
	return mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "list_orders", Annotations: mcp.ReadOnly()}, func(context.Context, struct{}) (string, error) { return "no orders", nil }),
		mcp.NewTool(mcp.Tool{Name: "track_order", Annotations: mcp.ReadOnly()}, func(ctx context.Context, _ struct{}) (string, error) {
			return tools.Advice(ctx, "There is no such order. Call list_orders to see all."), nil
		}),
		mcp.NewTool(mcp.Tool{Name: "place_order"}, func(context.Context, struct{}) (string, error) { return "ordered", nil }),
	}}
}

func (shop) Close(context.Context) error { return nil }

// trackWithout calls track_order in a server whose profile leaves out a tool.
func trackWithout(tool string) string {
	srv := mcp.NewServer(mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	installed, err := tools.Install(srv, "shop", tools.Profile{Deny: []string{tool}}, shop{})
	if err != nil {
		log.Fatal(err)
	}
	defer installed.Close(context.Background())
	return call(srv, "track_order", `{}`)
}

// Advice drops the hints that name tools which the profile leaves out.
func ExampleAdvice() {
	fmt.Println(trackWithout("place_order"))
	fmt.Println(trackWithout("list_orders"))
	// Output:
	// There is no such order. Call list_orders to see all.
	// There is no such order.
}

// In a Go program, outside of a call of a server, every tool counts as offered.
func ExampleOffers() {
	fmt.Println(tools.Offers(context.Background(), "list_orders"))
	// Output: true
}

// A Profile offers the tools that change nothing, under the names that the program prefers.
func ExampleProfile() {
	srv := mcp.NewServer(mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	installed, err := tools.Install(srv, "shop", tools.Profile{
		ReadOnly: true,
		Names:    map[string]string{"list_orders": "orders"},
		Timeout:  time.Minute,
	}, shop{})
	if err != nil {
		log.Fatal(err)
	}
	defer installed.Close(context.Background())
	for _, tool := range srv.Tools() {
		fmt.Println(tool.Name)
	}
	// Output:
	// orders
	// track_order
}

// Every finished call is recorded, with its arguments and its outcome.
func ExampleRecord() {
	records, err := audit.Open(audit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer records.Close()
	srv := mcp.NewServer(mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	installed, err := tools.Install(srv, "shop", tools.Profile{Wrap: []mcp.ToolMiddleware{tools.Record(records, slog.Default())}}, shop{})
	if err != nil {
		log.Fatal(err)
	}
	defer installed.Close(context.Background())
	fmt.Println(call(srv, "place_order", `{}`))
	for _, record := range records.Recent(1) {
		fmt.Println(record.Operation, record.Result)
	}
	// Output:
	// ordered
	// place_order success
}

// A Go program that reads and writes with the same name of a peer does not overwrite a change that it has not seen.
func ExampleWithPeer() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := tools.WithPeer(context.Background(), "formatter")
	if _, err := files.Write(ctx, fs.WriteArgs{Path: "a.txt", Content: "one"}); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("two, by another program"), 0o600); err != nil {
		log.Fatal(err)
	}
	_, err = files.Write(ctx, fs.WriteArgs{Path: "a.txt", Content: "three"})
	fmt.Println(err != nil)
	// Output: true
}
