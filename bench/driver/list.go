package driver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/dougu-go/dougu/bench/catalog"
)

func listCall(tools int) (call, error) {
	want, err := expectedTools(tools)
	if err != nil {
		return call{}, err
	}
	r, err := newRequest("tools/list", struct{}{})
	return call{way: pipes(), request: r, check: func(result json.RawMessage) error {
		return checkList(result, want)
	}}, err
}

// listedTool is the part of a tool that every server must describe equally. Schemas may differ in other parts.
type listedTool struct {
	Description string
	Input       map[string]string // descriptions of the parameters
	Output      map[string]string // descriptions of the members of the result
}

func expectedTools(total int) (map[string]listedTool, error) {
	noops, err := catalog.Noops(total)
	if err != nil {
		return nil, err
	}
	want := map[string]listedTool{
		catalog.SmallName:  toolOf[catalog.GreetArgs, catalog.Greeting](catalog.SmallDescription),
		catalog.SearchName: toolOf[catalog.SearchArgs, catalog.SearchResult](catalog.SearchDescription),
		catalog.SizeName:   toolOf[catalog.SizeArgs, catalog.SizeResult](catalog.SizeDescription),
	}
	for _, n := range noops {
		switch n.Shape {
		case catalog.Read:
			want[n.Name] = toolOf[catalog.ReadArgs, catalog.NoopResult](n.Description)
		case catalog.Find:
			want[n.Name] = toolOf[catalog.FindArgs, catalog.NoopResult](n.Description)
		case catalog.Run:
			want[n.Name] = toolOf[catalog.RunArgs, catalog.NoopResult](n.Description)
		case catalog.Edit:
			want[n.Name] = toolOf[catalog.EditArgs, catalog.NoopResult](n.Description)
		}
	}
	return want, nil
}

func toolOf[In, Out any](description string) listedTool {
	return listedTool{
		Description: description,
		Input:       documented(reflect.TypeFor[In]()),
		Output:      documented(reflect.TypeFor[Out]()),
	}
}

// documented returns the names and descriptions of a struct's members from their tags.
func documented(t reflect.Type) map[string]string {
	members := make(map[string]string, t.NumField())
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		members[name] = field.Tag.Get("jsonschema")
	}
	return members
}

// checkList checks that a result lists the tools want, on one page.
func checkList(result json.RawMessage, want map[string]listedTool) error {
	type object struct {
		Type       string
		Properties map[string]struct{ Description string }
	}
	var got struct {
		NextCursor string
		Tools      []struct {
			Name, Description         string
			InputSchema, OutputSchema object
		}
	}
	if err := json.Unmarshal(result, &got); err != nil {
		return err
	}
	if len(got.Tools) != len(want) || got.NextCursor != "" {
		return fmt.Errorf("it should list %d tools on one page, not %d", len(want), len(got.Tools))
	}
	described := func(o object) map[string]string {
		members := make(map[string]string, len(o.Properties))
		for name, p := range o.Properties {
			members[name] = p.Description
		}
		return members
	}
	for _, t := range got.Tools {
		expected, ok := want[t.Name]
		if !ok {
			return fmt.Errorf("it should not list %q", t.Name)
		}
		if t.InputSchema.Type != "object" || t.OutputSchema.Type != "object" {
			return fmt.Errorf("the schemas of %q should be of objects", t.Name)
		}
		tool := listedTool{t.Description, described(t.InputSchema), described(t.OutputSchema)}
		if !reflect.DeepEqual(tool, expected) {
			return fmt.Errorf("it describes %q as %v instead of %v", t.Name, tool, expected)
		}
	}
	return nil
}
