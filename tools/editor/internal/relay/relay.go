// Package relay calls the language servers that an editor runs, through the editor, and converts their results for package
// adapter.
package relay

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

const (
	maxServers = 16      // limit of the language servers that receive requests about one document
	maxLine    = 1 << 30 // limit of line and column numbers from editors and language servers
)

// Editor is one running editor.
type Editor interface {
	// Read returns the document of a file as the editor has it, with the language servers that support a method. With the method
	// "" it returns no servers. open is false, without an error, for a file that is not open in the editor.
	Read(ctx context.Context, path, method string) (d Document, open bool, err error)
	// Servers returns all language servers that support a method.
	Servers(ctx context.Context, method string) ([]Server, error)
	// Request sends a request to a language server and decodes its answer into result. about is a document from Read that the
	// request refers to, or nil.
	Request(ctx context.Context, server Server, about *Document, method string, params, result any) error
}

// Document is a text as an editor has it.
type Document struct {
	Text    string
	Version int
	Servers []Server // the language servers that support the method of Read
	Tab     int      // columns of a step of indentation
	Spaces  bool     // the indentation consists of spaces, not of tabs
	Ref     any      // data of the implementation of Editor
}

// Server is a language server, with the ID and the name that the editor gives it.
type Server struct {
	ID   int    `msgpack:"id" json:"id"`
	Name string `msgpack:"name" json:"name"`
	// Encoding is the unit of columns: "utf-8", "utf-16" or "utf-32".
	Encoding string `msgpack:"encoding" json:"encoding"`
}

// Relay provides the language features of all editors of one kind. It implements adapter.Formatter, adapter.Navigator and
// adapter.Refactorer.
type Relay struct {
	name string                                                   // name of the kind, for errors
	near func(ctx context.Context, path string) ([]Editor, error) // editors that cover a file, the preferred one first
	all  func() []Editor                                          // all editors
}

// New returns the Relay of a kind of editors. near returns the editors that cover a file, the preferred one first. all returns
// all editors.
func New(name string, near func(ctx context.Context, path string) ([]Editor, error), all func() []Editor) *Relay {
	return &Relay{name, near, all}
}

// Subject is a document as an editor has it, with the language servers that support a method.
type Subject struct {
	Doc    adapter.Document
	Text   *adapter.Text
	Editor Editor
	relay  *Relay
	found  Document // the document as Read returned it, with at most maxServers servers
}

// Find returns the document from the first editor that has it open and has a language server for the method. The error is
// adapter.ErrUnsupported if there is no such editor, and adapter.ErrStale if its text or its version differs from doc.
func Find(ctx context.Context, r *Relay, doc adapter.Document, method string) (*Subject, error) {
	fail := func(err error) (*Subject, error) {
		return nil, fmt.Errorf("asking %s about %s: %w", r.name, doc.Path, err)
	}
	editors, err := r.near(ctx, doc.Path)
	if err != nil {
		return fail(err)
	}
	for _, e := range editors {
		found, ok, err := e.Read(ctx, doc.Path, method)
		switch {
		case err != nil:
			return fail(err)
		case !ok || len(found.Servers) == 0:
			continue
		case found.Text != doc.Text || doc.Version > 0 && found.Version != doc.Version:
			return fail(adapter.ErrStale)
		}
		found.Servers = found.Servers[:min(len(found.Servers), maxServers)]
		return &Subject{doc, adapter.NewText(doc.Text), e, r, found}, nil
	}
	return fail(fmt.Errorf("no language server there knows it: %w", adapter.ErrUnsupported))
}

// Ask sends a request about the document to one language server and decodes the result.
func (s *Subject) Ask(ctx context.Context, server Server, method string, params, result any) error {
	if err := s.Editor.Request(ctx, server, &s.found, method, params, result); err != nil {
		return fmt.Errorf("asking %s in %s about %s: %w", truncate.Line(server.Name, maxName), s.relay.name, s.Doc.Path, err)
	}
	return nil
}

// Each calls use for the language servers one after another, until enough is true. It returns an error only if use failed for all
// of them.
func (s *Subject) Each(use func(Server) (enough bool, err error)) error {
	var failures []error
	for _, server := range s.found.Servers {
		enough, err := use(server)
		if err != nil {
			failures = append(failures, err)
		}
		if enough {
			return nil
		}
	}
	if len(failures) == len(s.found.Servers) {
		return errors.Join(failures...)
	}
	return nil
}
