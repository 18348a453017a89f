package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxURI is the longest URI that is read or registered, in bytes.
const maxURI = 8192

// ReadHandler reads a resource. uri is what the client asks for, as it was sent.
//
// Contents without a URI get that one, and with that one, but without a media
// type, get that of the resource. No contents at all mean that there is no such resource, as does an
// error with fs.ErrNotExist in its chain: see ResourceNotFound. Any other error
// is a protocol error, which has its code, next step and details as data if it
// has the methods ErrorCode, NextStep or ErrorDetails.
type ReadHandler func(ctx context.Context, uri string) ([]ResourceContents, error)

// ResourceOptions are set with ServerResource.With and ServerTemplate.With. Zero
// values keep what is set.
type ResourceOptions struct {
	// Cache says how long what is read may be kept (2026-07-28). Default: stale
	// at once, private.
	Cache *CacheHint
	// Timeout ends the context of a read. It stops while the handler waits for
	// an answer from its client.
	Timeout time.Duration
	// HardTimeout ends the context whatever the handler waits for. Default: ten
	// times Timeout.
	HardTimeout time.Duration
	// MaxResult bounds the bytes of the contents. Default 10 MB.
	MaxResult int
	// Unlisted hides the resource or template from lists; it can be read.
	Unlisted bool
}

func (o *ResourceOptions) merge(more ResourceOptions) {
	set(&o.Cache, more.Cache)
	set(&o.Timeout, more.Timeout)
	set(&o.HardTimeout, more.HardTimeout)
	set(&o.MaxResult, more.MaxResult)
	set(&o.Unlisted, more.Unlisted)
}

// ServerResource is a resource with its handler: a value that can be registered
// in any number of servers.
type ServerResource struct {
	resource Resource
	read     ReadHandler
	opts     ResourceOptions
	problems []error
}

// NewResource makes a resource. What is wrong with it is reported when it is
// registered.
func NewResource(r Resource, h ReadHandler) ServerResource {
	sr := ServerResource{resource: r, read: h}
	if err := checkURI(r.URI); err != nil {
		sr.problems = append(sr.problems, err)
	}
	if err := checkLabel(r.Name); err != nil {
		sr.problems = append(sr.problems, err)
	}
	if h == nil {
		sr.problems = append(sr.problems, errors.New("it has no handler"))
	}
	return sr
}

// AddResource registers a resource under its own URI as owner: see NewResource
// and Server.Replace.
func AddResource(s *Server, r Resource, h ReadHandler) error {
	return s.Replace("resource "+r.URI, Features{Resources: []ServerResource{NewResource(r, h)}})
}

// Resource returns what a client sees.
func (r ServerResource) Resource() Resource { return r.resource }

// Err returns what is wrong with the resource, or nil.
func (r ServerResource) Err() error { return problemsOf("resource", r.resource.URI, r.problems) }

// Options returns the options that are set.
func (r ServerResource) Options() ResourceOptions { return r.opts }

// With returns the resource with the options that are not zero.
func (r ServerResource) With(o ResourceOptions) ServerResource {
	r.opts.merge(o)
	return r
}

// Read reads the resource in process. Questions to a user need a context from a
// server's call.
func (r ServerResource) Read(ctx context.Context) (*ReadResult, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.source().run(ctx, r.resource.URI)
}

func (r *ServerResource) source() source {
	uri := r.resource.URI
	return source{opts: &r.opts, mimeType: r.resource.MIMEType, read: func(ctx context.Context) ([]ResourceContents, error) {
		return r.read(ctx, uri)
	}}
}

func (r *ServerResource) key() string              { return r.resource.URI }
func (r *ServerResource) shown() Resource          { return r.resource }
func (r *ServerResource) hidden() bool             { return r.opts.Unlisted }
func (r *ServerResource) append(dst []byte) []byte { return r.resource.appendJSON(dst, Latest) }

// checkURI reports why a text is not an absolute URI (RFC 3986).
func checkURI(uri string) error {
	scheme, _, ok := strings.Cut(uri, ":")
	switch {
	case !ok || !isScheme(scheme):
		return errors.New("a resource needs an absolute URI, such as file:///notes.txt or notes://today")
	case len(uri) > maxURI:
		return fmt.Errorf("the URI has %d bytes; at most %d are allowed", len(uri), maxURI)
	}
	if strings.Contains(uri, " ") || !isURIText(uri) {
		return errors.New("spaces, control characters and what is not UTF-8 must be percent-encoded in a URI")
	}
	return nil
}

// isURIText reports whether a text can be taken for a URI at all. More is not
// asked: clients send spaces and other characters that are not encoded.
func isURIText(uri string) bool {
	return utf8.ValidString(uri) && !strings.ContainsFunc(uri, unicode.IsControl)
}

// isScheme reports whether s is the scheme of a URI (RFC 3986 §3.1).
func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// checkLabel reports why a name is not fit for a new prompt or resource: people
// read it, and HTTP headers carry it.
func checkLabel(name string) error {
	switch {
	case name == "" || len(name) > 256:
		return fmt.Errorf("a name has 1 to 256 bytes, not %d", len(name))
	case !utf8.ValidString(name):
		return errors.New("the name is not valid UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("the name %q has a control character", name)
	}
	return nil
}
