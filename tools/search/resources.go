package search

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
)

const (
	statusURI     = "cqm://status"
	documentsURI  = "cqm://documents/"
	documentsForm = documentsURI + "{+path}"
	readTimeout   = 30 * time.Second
	maxCompleted  = 100
)

// documentURI returns the resource URI of a file.
func documentURI(path string) string {
	return documentsURI + (&url.URL{Path: path}).EscapedPath()
}

// DocumentPath holds the variable of the resource template for documents.
type DocumentPath struct {
	// Path is the path of a file in the project.
	Path string `json:"path" jsonschema:"minLength=1,maxLength=4096"`
}

// resources returns the index status as a resource. Updated reports its changes.
func (s *Search) resources() []mcp.ServerResource {
	status := mcp.NewResource(mcp.Resource{
		URI: statusURI, Name: "index-status", Title: "Search index", MIMEType: "application/json",
		Description: "How complete and current the search index is.",
	}, func(ctx context.Context, uri string) ([]mcp.ResourceContents, error) {
		text, err := json.Marshal(s.status(ctx))
		if err != nil {
			return nil, fmt.Errorf("encoding the index status: %w", err)
		}
		return []mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(text)}}, nil
	}).With(mcp.ResourceOptions{Timeout: readTimeout})
	return []mcp.ServerResource{status}
}

// templates returns the resource template for documents.
func (s *Search) templates() []mcp.ServerTemplate {
	documents := mcp.NewTemplate(mcp.ResourceTemplate{
		URITemplate: documentsForm, Name: "document", Title: "Document", Description: "The text of a file of the project.",
	}, s.readDocument).With(mcp.ResourceOptions{Timeout: readTimeout, MaxResult: s.limits.MaxAnswer}).Complete("path", s.completePath)
	return []mcp.ServerTemplate{documents}
}

// readDocument returns the text of a file from the first plugin that can read it.
func (s *Search) readDocument(ctx context.Context, uri string, in DocumentPath) ([]mcp.ResourceContents, error) {
	err := noDocumentsError()
	path := s.indexPath(in.Path)
	for _, d := range s.owners(path) {
		var text []byte
		text, err = guarded(ctx, d.guard, func(ctx context.Context) ([]byte, error) {
			text, _, err := d.Read(ctx, path)
			return text, err
		})
		if err == nil {
			return []mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: strings.ToValidUTF8(string(text), "\ufffd")}}, nil
		}
	}
	switch security.CodeOf(err) {
	case security.FileNotFound, security.PermissionDenied, security.NotDirectory:
		return nil, mcp.ResourceNotFound(uri)
	}
	return nil, protocolError(err)
}

// protocolError converts err to a protocol error: resources and prompts have no tool errors.
func protocolError(err error) error {
	switch security.CodeOf(err) {
	case security.InternalError, security.Timeout, security.Cancelled, codeIndexUnavailable, codeCircuitOpen:
		return protocol.Errorf(protocol.CodeInternal, "%s", warning(err))
	}
	return protocol.Errorf(protocol.CodeInvalidParams, "%s", warning(err))
}

// completePath returns indexed paths that begin with value, then paths whose file name begins with it, at most maxCompleted.
func (s *Search) completePath(ctx context.Context, value string, _ map[string]string) (mcp.Completion, error) {
	var c mcp.Completion
	var named []string // paths whose file name, but not path, begins with value
	for _, d := range s.documents {
		for known, err := range d.Index().Files(ctx) {
			if err != nil {
				return c, err
			}
			switch {
			case strings.HasPrefix(known.Path, value):
				c.Total++
				if len(c.Values) < maxCompleted {
					c.Values = append(c.Values, known.Path)
				}
			case strings.HasPrefix(known.Path[strings.LastIndexByte(known.Path, '/')+1:], value):
				c.Total++
				if len(named) < maxCompleted {
					named = append(named, known.Path)
				}
			}
		}
	}
	c.Values = slices.Concat(c.Values, named)
	c.HasMore = c.Total > maxCompleted
	c.Values = c.Values[:min(len(c.Values), maxCompleted)]
	return c, nil
}
