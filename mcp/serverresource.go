package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxURI limits the URIs of resources, in bytes.
const maxURI = 8192

// ReadHandler reads a resource. uri is the URI of the request, unchanged.
//
// Contents without a URI get this URI. Contents with this URI and without a media type get the
// media type of the resource. Empty contents, or an error that wraps fs.ErrNotExist, mean that the
// resource does not exist; see ResourceNotFound. Any other error becomes a protocol error. Its
// methods ErrorCode, NextStep and ErrorDetails, if present, supply the data.
type ReadHandler func(ctx context.Context, uri string) ([]ResourceContents, error)

// ResourceOptions configures a resource or template; see ServerResource.With and
// ServerTemplate.With. Zero values keep the current setting. A negative limit restores the default.
type ResourceOptions struct {
	// Cache is the cache hint of contents (2026-07-28). Default: stale at once, private.
	Cache *protocol.CacheHint
	// Timeout limits the time of a read. It is suspended while the handler waits for an answer of
	// its client. Default, and with a negative value: no limit.
	Timeout time.Duration
	// HardTimeout limits the time including waits. Default ten times Timeout; it applies only with
	// Timeout.
	HardTimeout time.Duration
	// MaxResult limits the contents, in bytes. Default 10 MiB.
	MaxResult int
	// Unlisted omits the resource or template from lists; clients can still read it. Listed undoes
	// Unlisted.
	Unlisted, Listed bool
}

// merge sets the options of more that are not zero.
func (o *ResourceOptions) merge(more ResourceOptions) {
	setNonZero(&o.Cache, more.Cache)
	setLimit(&o.Timeout, more.Timeout)
	setLimit(&o.HardTimeout, more.HardTimeout)
	setLimit(&o.MaxResult, more.MaxResult)
	setListed(&o.Unlisted, more.Unlisted, more.Listed)
}

// ServerResource is a resource with its handler. It is a value: it can be registered in any number
// of servers.
type ServerResource struct {
	resource Resource // public description
	read     ReadHandler
	opts     ResourceOptions
	problems []error // reported by Err
}

// NewResource returns a resource. Problems of the definition are reported at registration.
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

// AddResource registers a resource, which Server.Remove unregisters by its URI. See NewResource and
// Server.Replace.
func AddResource(s *Server, r Resource, h ReadHandler) error {
	return s.Replace(ownResource+r.URI, Features{Resources: []ServerResource{NewResource(r, h)}})
}

// Resource returns the public description.
func (r ServerResource) Resource() Resource { return r.resource }

// Err returns the problems of the definition, or nil.
func (r ServerResource) Err() error {
	problems := r.problems
	if r.read == nil && len(problems) == 0 {
		problems = []error{errors.New("it was not made by NewResource")}
	}
	return joinProblems("resource", r.resource.URI, problems)
}

// Options returns the current options.
func (r ServerResource) Options() ResourceOptions { return r.opts }

// With returns a copy with the options of o that are not zero.
func (r ServerResource) With(o ResourceOptions) ServerResource {
	r.opts.merge(o)
	return r
}

// Read reads the resource in process. Questions to a user need the context of a server's call.
func (r ServerResource) Read(ctx context.Context) (*ReadResult, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errNilContext
	}
	return r.source().readLimited(ctx, r.resource.URI)
}

// source returns the resource as a source.
func (r *ServerResource) source() resourceReader {
	uri := r.resource.URI
	return resourceReader{opts: &r.opts, mimeType: r.resource.MIMEType, read: func(ctx context.Context) ([]ResourceContents, error) {
		return r.read(ctx, uri)
	}}
}

func (r *ServerResource) key() string    { return r.resource.URI }
func (r *ServerResource) item() Resource { return r.resource }
func (r *ServerResource) hidden() bool   { return r.opts.Unlisted }
func (r *ServerResource) append(dst []byte) []byte {
	return r.resource.appendJSON(dst, protocol.Latest)
}

// checkURI returns an error if uri is not an absolute URI (RFC 3986).
func checkURI(uri string) error {
	scheme, _, ok := strings.Cut(uri, ":")
	switch {
	case !ok || !isScheme(scheme):
		return errors.New("a resource needs an absolute URI, such as file:///notes.txt or notes://today")
	case len(uri) > maxURI:
		return fmt.Errorf("the URI has %d bytes; at most %d are allowed", len(uri), maxURI)
	}
	if strings.Contains(uri, " ") || !isURIText(uri) {
		return errors.New("spaces, control characters and bytes that are not UTF-8 must be percent-encoded in a URI")
	}
	return nil
}

// isURIText reports whether uri can be a URI. It permits spaces and other unencoded characters,
// because clients send them.
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

// checkLabel returns an error if name is not valid for a prompt or resource. People read the name,
// and HTTP headers contain it.
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
