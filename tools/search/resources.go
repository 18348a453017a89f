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
	"github.com/dougu-go/dougu/security"
)

const (
	statusURI     = "cqm://status"
	documentsURI  = "cqm://documents/"
	documentsForm = documentsURI + "{+path}"
	readTimeout   = 30 * time.Second
	maxCompleted  = 100
)

// documentURI is that of a file.
func documentURI(path string) string {
	return documentsURI + (&url.URL{Path: path}).EscapedPath()
}

// DocumentPath is the variable of the URIs of documents.
type DocumentPath struct {
	Path string `json:"path" jsonschema:"minLength=1,maxLength=4096"`
}

// resources are the state of the index. Who subscribes to it hears of every change of it: see Updated.
func (s *Search) resources() []mcp.ServerResource {
	status := mcp.NewResource(mcp.Resource{
		URI: statusURI, Name: "index-status", Title: "Search index", MIMEType: "application/json",
		Description: "How complete and current the search index is.",
	}, func(ctx context.Context, uri string) ([]mcp.ResourceContents, error) {
		text, err := json.Marshal(s.status(ctx))
		if err != nil {
			return nil, fmt.Errorf("telling the state of the index: %w", err)
		}
		return []mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(text)}}, nil
	}).With(mcp.ResourceOptions{Timeout: readTimeout})
	return []mcp.ServerResource{status}
}

// templates are the documents.
func (s *Search) templates() []mcp.ServerTemplate {
	documents := mcp.NewTemplate(mcp.ResourceTemplate{
		URITemplate: documentsForm, Name: "document", Title: "Document", Description: "The text of a file of the project.",
	}, s.readDocument).With(mcp.ResourceOptions{Timeout: readTimeout, MaxResult: s.limits.MaxAnswer}).Complete("path", s.completePath)
	return []mcp.ServerTemplate{documents}
}

// readDocument is the text of a file as plugins have it.
func (s *Search) readDocument(ctx context.Context, uri string, in DocumentPath) ([]mcp.ResourceContents, error) {
	err := noDocuments()
	for _, d := range s.documents {
		var text []byte
		text, err = guarded(ctx, d.guard, func(ctx context.Context) ([]byte, error) {
			text, _, err := d.Read(ctx, s.indexPath(in.Path))
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

// protocolError is an error of a resource or prompt, which has no other way to be told.
func protocolError(err error) error {
	switch security.CodeOf(err) {
	case security.InternalError, security.Timeout, security.Cancelled, codeIndexUnavailable, codeCircuitOpen:
		return mcp.Errorf(mcp.CodeInternal, "%s", warning(err))
	}
	return mcp.Errorf(mcp.CodeInvalidParams, "%s", warning(err))
}

// completePath proposes files that are indexed, by the beginning of their path or name.
func (s *Search) completePath(ctx context.Context, value string, _ map[string]string) (mcp.Completion, error) {
	var c mcp.Completion
	var named []string // those whose name alone begins so
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
