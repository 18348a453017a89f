// Command dougu is a server with arguments and results of many Go types, written with this library.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/netip"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type owner struct {
	Name string `json:"name"`
	Mail string `json:"mail,omitempty"`
}

type source struct {
	Host netip.Addr `json:"host"`
}

type job struct {
	source
	Name     string            `json:"name" jsonschema:"minLength=1,description=Name of the job"`
	Attempts int               `json:"attempts" jsonschema:"minimum=1,maximum=10"`
	Ratio    float64           `json:"ratio,omitempty"`
	Urgent   bool              `json:"urgent,omitempty"`
	Priority string            `json:"priority" jsonschema:"enum=low,enum=normal,enum=high"`
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

func schedule(_ context.Context, in job) (plan, error) {
	if in.Name == "nothing" {
		return plan{}, errors.New("there is nothing to schedule")
	}
	return plan{Job: in, Last: in.Start.Add(time.Duration(in.Attempts) * in.Every)}, nil
}

func main() {
	server := mcp.NewServer(mcp.Implementation{Name: "scheduler", Version: "1.0.0"}, nil)
	err := mcp.AddTool(server, mcp.Tool{Name: "schedule", Description: "Schedules a job."}, schedule)
	if err == nil {
		err = transport.ServeStdio(context.Background(), server, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}
