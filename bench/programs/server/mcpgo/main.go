// Command mcpgo is a server with arguments and results of many Go types, written with github.com/mark3labs/mcp-go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/netip"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type owner struct {
	Name string `json:"name"`
	Mail string `json:"mail,omitempty"`
}

type source struct {
	Host netip.Addr `json:"host"`
}

type priority string

type job struct {
	source
	Name     string            `json:"name" jsonschema:"Name of the job"`
	Attempts int               `json:"attempts"`
	Ratio    float64           `json:"ratio,omitempty"`
	Urgent   bool              `json:"urgent,omitempty"`
	Priority priority          `json:"priority"`
	Start    time.Time         `json:"start"`
	Every    time.Duration     `json:"every"`
	Payload  []byte            `json:"payload,omitempty"`
	Tags     []string          `json:"tags,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Owner    owner             `json:"owner"`
	Limit    *int              `json:"limit,omitempty"`
	Extra    json.RawMessage   `json:"extra,omitempty"`
}

type plan struct {
	Job  job       `json:"job"`
	Last time.Time `json:"last"`
}

func schedule(_ context.Context, _ mcp.CallToolRequest, in job) (plan, error) {
	if in.Name == "nothing" {
		return plan{}, errors.New("there is nothing to schedule")
	}
	return plan{Job: in, Last: in.Start.Add(time.Duration(in.Attempts) * in.Every)}, nil
}

// schemas returns the schemas of the arguments and of the result. Bytes, addresses, raw JSON, enumerations and bounds are not derived
// from the types.
func schemas() (in, out json.RawMessage, err error) {
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[netip.Addr]():      {Type: "string"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[priority]():        {Type: "string", Enum: []any{"low", "normal", "high"}},
	}}
	arguments, err := jsonschema.For[job](options)
	if err != nil {
		return nil, nil, err
	}
	arguments.Properties["name"].MinLength = jsonschema.Ptr(1)
	arguments.Properties["attempts"].Minimum = jsonschema.Ptr(1.0)
	arguments.Properties["attempts"].Maximum = jsonschema.Ptr(10.0)
	result, err := jsonschema.For[plan](options)
	if err != nil {
		return nil, nil, err
	}
	if in, err = json.Marshal(arguments); err != nil {
		return nil, nil, err
	}
	out, err = json.Marshal(result)
	return in, out, err
}

func main() {
	s := server.NewMCPServer("scheduler", "1.0.0", server.WithInputSchemaValidation())
	in, out, err := schemas()
	if err != nil {
		log.Fatal(err)
	}
	tool := mcp.NewToolWithRawSchema("schedule", "Schedules a job.", in)
	tool.RawOutputSchema = out
	s.AddTool(tool, mcp.NewStructuredToolHandler(schedule))
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
