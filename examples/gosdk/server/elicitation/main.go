// Command elicitation asks the user for settings with a form that is made from a struct.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type settings struct {
	Endpoint string  `json:"serverEndpoint" jsonschema:"Server endpoint URL"`
	Retries  float64 `json:"maxRetries,omitempty" jsonschema:"minimum=1,maximum=10"`
	Logs     bool    `json:"enableLogs,omitempty" jsonschema:"Enable debug logging"`
}

func configure(ctx context.Context, _ mcp.None) (string, error) {
	answer, err := mcp.Elicit[settings](ctx, "settings", "Please provide your configuration settings")
	if err != nil || answer.Action != mcp.Accept {
		return "no configuration", err
	}
	s := answer.Value
	return fmt.Sprintf("Configuration received: Endpoint: %v, Max Retries: %.0f, Logs: %v", s.Endpoint, s.Retries, s.Logs), nil
}

func main() {
	ctx := context.Background()
	server := mcp.NewServer(mcp.Implementation{Name: "config-server", Version: "v1.0.0"}, nil)
	if err := mcp.AddTool(server, mcp.Tool{Name: "configure"}, configure); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: server}, mcp.Implementation{Name: "config-client", Version: "v1.0.0"}, &mcp.ClientOptions{
		Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			fmt.Println("Server requests:", form.Message)
			answer, err := json.Marshal(settings{Endpoint: "https://api.example.com", Retries: 3, Logs: true})
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: answer}, err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text, err := mcp.Call[string](ctx, client, "configure", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}
