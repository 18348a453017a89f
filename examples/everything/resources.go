package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

//go:embed docs
var docs embed.FS

// document returns a document of the directory docs.
func document(name string) string {
	text, _ := docs.ReadFile("docs/" + name) // the names come from the directory
	return string(text)
}

type dynamicArgs struct {
	ResourceID string `json:"resourceId" jsonschema:"pattern=^[1-9][0-9]*$"`
}

func (e *everything) addResources() error {
	var errs []error
	for _, r := range []struct{ kind, mimeType, description string }{
		{"Text", "text/plain", "A text that is made up from its number."},
		{"Blob", "application/octet-stream", "Bytes that are made up from their number."},
	} {
		template := mcp.ResourceTemplate{
			URITemplate: "demo://resource/dynamic/" + strings.ToLower(r.kind) + "/{resourceId}", Name: "Dynamic " + r.kind + " Resource",
			Description: r.description, MIMEType: r.mimeType,
		}
		server := mcp.NewTemplate(template, func(_ context.Context, uri string, in dynamicArgs) ([]mcp.ResourceContents, error) {
			id, err := strconv.Atoi(in.ResourceID)
			if err != nil {
				return nil, mcp.ResourceNotFound(uri)
			}
			return []mcp.ResourceContents{dynamic(r.kind, id)}, nil
		}).Complete("resourceId", completeID)
		errs = append(errs, e.server.Replace(template.Name, mcp.Features{Templates: []mcp.ServerTemplate{server}}))
	}
	entries, err := docs.ReadDir("docs")
	errs = append(errs, err)
	for _, entry := range entries {
		file := mcp.Resource{URI: "demo://resource/static/document/" + entry.Name(), Name: entry.Name(), MIMEType: "text/markdown", Description: "A document of this server."}
		errs = append(errs, mcp.AddResource(e.server, file, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{Text: document(entry.Name())}}, nil
		}))
	}
	return errors.Join(errs...)
}

func dynamicURI(kind string, id int) string {
	return fmt.Sprintf("demo://resource/dynamic/%s/%d", strings.ToLower(kind), id)
}

// dynamic returns the contents of a resource of the kind Text or Blob.
func dynamic(kind string, id int) mcp.ResourceContents {
	contents := mcp.ResourceContents{URI: dynamicURI(kind, id), MIMEType: "text/plain"}
	now := time.Now().Format("3:04:05 PM")
	if kind == "Text" {
		contents.Text = fmt.Sprintf("Resource %d: This is a plaintext resource created at %s", id, now)
	} else {
		contents.Blob = fmt.Appendf(nil, "Resource %d: This is a base64 blob created at %s", id, now)
	}
	return contents
}

// completeID proposes a number that is complete.
func completeID(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
	if id, err := strconv.Atoi(value); err != nil || id < 1 {
		return mcp.Completion{}, nil
	}
	return mcp.Completion{Values: []string{value}, Total: 1}, nil
}

// watchSubscriptions is middleware that counts the subscriptions to resources.
func (e *everything) watchSubscriptions(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		if req.Method != "subscriptions/listen" {
			return next(ctx, req)
		}
		var params struct{ Notifications protocol.SubscriptionFilter }
		if err := json.Unmarshal(req.Params, &params); err != nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "invalid filter: %v", err)
		}
		e.count(params.Notifications.ResourceSubscriptions, 1)
		defer e.count(params.Notifications.ResourceSubscriptions, -1)
		return next(ctx, req)
	}
}

func (e *everything) count(uris []string, n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, uri := range uris {
		if e.subscribed[uri] += n; e.subscribed[uri] <= 0 {
			delete(e.subscribed, uri)
		}
	}
}

// update reports a change of every subscribed resource.
func (e *everything) update() {
	e.mu.Lock()
	uris := slices.Collect(maps.Keys(e.subscribed))
	e.mu.Unlock()
	for _, uri := range uris {
		e.server.ResourceUpdated(uri)
	}
}
