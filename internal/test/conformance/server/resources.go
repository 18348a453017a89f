package main

import (
	"context"
	"encoding/json"

	"github.com/dougu-go/dougu/mcp"
)

// resources returns the resources that scenarios read by URI.
func resources() []mcp.ServerResource {
	fixed := func(r mcp.Resource, contents mcp.ResourceContents) mcp.ServerResource {
		contents.URI, contents.MIMEType = r.URI, r.MIMEType
		return mcp.NewResource(r, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{contents}, nil
		})
	}
	return []mcp.ServerResource{
		fixed(mcp.Resource{URI: "test://static-text", Name: "static-text", Description: "A text that never changes.", MIMEType: "text/plain"},
			mcp.ResourceContents{Text: "This is the content of the static text resource."}),
		fixed(mcp.Resource{URI: "test://static-binary", Name: "static-binary", Description: "An image that never changes.", MIMEType: "image/png"},
			mcp.ResourceContents{Blob: dot()}),
		fixed(mcp.Resource{URI: "test://watched-resource", Name: "watched-resource", Description: "A text to subscribe to.", MIMEType: "text/plain"},
			mcp.ResourceContents{Text: "Watched."}),
	}
}

// record holds the variable of the resource template.
type record struct {
	ID string `json:"id"`
}

// templates returns the resource templates.
func templates() []mcp.ServerTemplate {
	return []mcp.ServerTemplate{mcp.NewTemplate(mcp.ResourceTemplate{
		URITemplate: "test://template/{id}/data", Name: "template", Description: "Data by number.", MIMEType: "application/json",
	}, readRecord)}
}

func readRecord(_ context.Context, uri string, in record) ([]mcp.ResourceContents, error) {
	text, err := json.Marshal(map[string]any{"id": in.ID, "templateTest": true, "data": "Data for ID: " + in.ID})
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(text)}}, nil
}
