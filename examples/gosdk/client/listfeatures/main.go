// Command listfeatures lists the features of a server that it starts, or of a server at a URL.
//
//	listfeatures COMMAND [ARGUMENT…]
//	listfeatures -http https://example.com/mcp
package main

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

func main() {
	url := flag.String("http", "", "URL of a server, in place of a command")
	flag.Parse()
	var server protocol.Transport
	switch {
	case *url != "":
		server = &httpclient.Client{URL: *url}
	case flag.NArg() > 0:
		server = transport.Command{Path: flag.Arg(0), Args: flag.Args()[1:]}
	default:
		log.Fatal("Usage: listfeatures COMMAND [ARGUMENT…] | -http URL")
	}
	ctx := context.Background()
	client, err := mcp.Connect(ctx, server, mcp.Implementation{Name: "mcp-client", Version: "v1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if client.Server().Capabilities.Tools != nil {
		show("tools", client.Tools(ctx), func(t mcp.Tool) string { return t.Name })
	}
	if client.Server().Capabilities.Resources != nil {
		show("resources", client.Resources(ctx), func(r mcp.Resource) string { return r.Name })
		show("resource templates", client.Templates(ctx), func(t mcp.ResourceTemplate) string { return t.Name })
	}
	if client.Server().Capabilities.Prompts != nil {
		show("prompts", client.Prompts(ctx), func(p mcp.Prompt) string { return p.Name })
	}
}

func show[T any](title string, features iter.Seq2[T, error], name func(T) string) {
	fmt.Printf("%s:\n", title)
	for feature, err := range features {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("\t%s\n", name(feature))
	}
	fmt.Println()
}
