// Command everything has a tool for each feature of the protocol, two prompts, resources and completions.
//
//	everything [-http ADDRESS] [-pprof ADDRESS]
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"
	"sync"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func register(server *mcp.Server) error {
	page := mcp.ResourceTemplate{Name: "Resource template (with Icon)", MIMEType: "text/plain", URITemplate: "http://example.com/~{resource_name}/", Icons: icons()}
	return errors.Join(
		mcp.AddTool(server, mcp.Tool{Name: "greet", Description: "say hi"}, greet),
		mcp.AddTool(server, mcp.Tool{Name: "greet_structured"}, greetStructured),
		mcp.AddTool(server, mcp.Tool{Name: "greet_with_icons", Icons: icons()}, greetStructured),
		mcp.AddTool(server, mcp.Tool{Name: "greet_link"}, greetLink),
		mcp.AddTool(server, mcp.Tool{Name: "log"}, logSomething),
		mcp.AddTool(server, mcp.Tool{Name: "sample"}, sample),
		mcp.AddTool(server, mcp.Tool{Name: "elicit_form"}, elicitForm),
		mcp.AddTool(server, mcp.Tool{Name: "elicit_url"}, elicitURL),
		mcp.AddTool(server, mcp.Tool{Name: "roots"}, roots),
		mcp.AddResource(server, mcp.Resource{Name: "info", MIMEType: "text/plain", URI: "embedded:info", Icons: icons()}, info),
		server.Replace("completed", mcp.Features{
			Prompts: []mcp.ServerPrompt{
				mcp.NewPrompt(mcp.Prompt{Name: "greet"}, prompt).Complete("name", complete),
				mcp.NewPrompt(mcp.Prompt{Name: "greet_with_icons", Icons: icons()}, prompt).Complete("name", complete),
			},
			Templates: []mcp.ServerTemplate{mcp.NewTemplate(page, func(ctx context.Context, uri string, _ templateArgs) ([]mcp.ResourceContents, error) {
				return info(ctx, uri)
			}).Complete("resource_name", complete)},
		}),
	)
}

func main() {
	address := flag.String("http", "", "`address` to serve at, in place of standard input and output")
	profiles := flag.String("pprof", "", "`address` for package net/http/pprof")
	flag.Parse()
	if *profiles != "" {
		var debugging sync.WaitGroup
		debugging.Go(func() { log.Print(http.ListenAndServe(*profiles, nil)) })
	}
	server := mcp.NewServer(mcp.Implementation{Name: "everything", WebsiteURL: "https://example.com", Icons: icons()}, &mcp.ServerOptions{Instructions: "Use this server!"})
	err := register(server)
	switch {
	case err != nil:
	case *address == "":
		err = transport.ServeStdio(context.Background(), server, nil)
	default:
		err = transport.Serve(context.Background(), server, transport.HTTP{Address: *address, Routes: map[string]transport.Route{"/": httpserver.Options{}}})
	}
	if err != nil {
		log.Fatal(err)
	}
}
