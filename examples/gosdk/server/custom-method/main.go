// Command custom-method has a method outside of the protocol, "latin/translate", on both sides of a connection in memory.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

type params struct {
	Text string `json:"text"`
}

type result struct {
	Latin string `json:"latin"`
}

// translate is middleware that answers the method.
func translate(next mcp.Handler) mcp.Handler {
	translations := map[string]string{
		"hello":                    "salve",
		"goodbye":                  "vale",
		"thank you":                "gratias tibi ago",
		"how are you":              "quid agis",
		"good morning":             "bonum mane",
		"good night":               "bonam noctem",
		"friend":                   "amicus",
		"water":                    "aqua",
		"love":                     "amor",
		"war":                      "bellum",
		"peace":                    "pax",
		"truth":                    "veritas",
		"light":                    "lux",
		"time":                     "tempus",
		"life":                     "vita",
		"death":                    "mors",
		"star":                     "stella",
		"earth":                    "terra",
		"sea":                      "mare",
		"the die is cast":          "alea iacta est",
		"i came i saw i conquered": "veni vidi vici",
		"seize the day":            "carpe diem",
	}
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		if req.Method != "latin/translate" {
			return next(ctx, req)
		}
		var in params
		if err := json.Unmarshal(req.Params, &in); err != nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "invalid parameters: %v", err)
		}
		latin, ok := translations[strings.ToLower(strings.TrimSpace(in.Text))]
		if !ok {
			latin = fmt.Sprintf("[unknown: %q — try: %q]", in.Text, slices.Sorted(maps.Keys(translations)))
		}
		data, err := json.Marshal(result{latin})
		return protocol.RawResult(data), err
	}
}

func main() {
	ctx := context.Background()
	server := mcp.NewServer(mcp.Implementation{Name: "latin-server", Version: "v1.0.0"}, nil)
	server.Use(translate)
	client, err := mcp.Connect(ctx, transport.InMemory{Server: server}, mcp.Implementation{Name: "latin-client", Version: "v1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, phrase := range []string{"Hello", "Seize the day", "Peace", "Truth", "I came I saw I conquered"} {
		in, err := json.Marshal(params{phrase})
		if err != nil {
			log.Fatal(err)
		}
		data, err := client.Request(ctx, "latin/translate", in, nil)
		if err != nil {
			log.Fatal(err)
		}
		var out result
		if err := json.Unmarshal(data, &out); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-35s → %s\n", phrase, out.Latin)
	}
}
