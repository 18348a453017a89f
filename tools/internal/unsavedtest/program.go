// Package unsavedtest is an editor in memory for tests of tools that read and write unsaved text through a security.Root.
package unsavedtest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// Name is the name of the program for messages.
const Name = "pager"

// Program is an editor in memory. It implements security.Documents. Its methods are safe for concurrent use.
type Program struct {
	dir string

	mu      sync.Mutex
	unsaved map[string]string // texts by absolute path
	failure error
	refusal error
}

// Attach attaches a new Program to a Root, until the end of the test. The paths of its methods are relative to the first directory
// of the Root.
func Attach(t testing.TB, root *security.Root) *Program {
	t.Helper()
	dir, err := filepath.EvalSymlinks(root.Dirs()[0])
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{dir: dir, unsaved: make(map[string]string)}
	t.Cleanup(root.Attach(p))
	return p
}

func (p *Program) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// Type makes a text the unsaved text of a file.
func (p *Program) Type(name, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unsaved[p.path(name)] = text
}

// Text returns the unsaved text of a file, or "".
func (p *Program) Text(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unsaved[p.path(name)]
}

// Save writes the unsaved text of a file to the disk.
func (p *Program) Save(t testing.TB, name string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := os.WriteFile(p.path(name), []byte(p.unsaved[p.path(name)]), 0o644); err != nil {
		t.Fatal(err)
	}
	delete(p.unsaved, p.path(name))
}

// Discard closes the document of a file without saving it.
func (p *Program) Discard(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.unsaved, p.path(name))
}

// Fail makes each query return err; nil ends that.
func (p *Program) Fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failure = err
}

// Refuse makes each change return err; nil ends that.
func (p *Program) Refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusal = err
}

// Unsaved implements security.Documents.
func (p *Program) Unsaved(context.Context) ([]security.UnsavedDocument, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []security.UnsavedDocument
	for path := range p.unsaved {
		all = append(all, security.UnsavedDocument{Path: path, Program: Name})
	}
	return all, p.failure
}

// Open implements security.Documents.
func (p *Program) Open(_ context.Context, name string) (security.Document, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, open := p.unsaved[name]
	return security.Document{Path: name, Program: Name, Text: text, Unsaved: true}, open && p.failure == nil, p.failure
}

// Replace implements security.Documents.
func (p *Program) Replace(_ context.Context, doc security.Document, _, after []byte) (done security.Replaced, made bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusal != nil {
		return done, false, p.refusal
	}
	if p.unsaved[doc.Path] != doc.Text {
		return done, false, &security.Error{Code: security.StaleFile, Message: "It has changed meanwhile."}
	}
	p.unsaved[doc.Path] = string(after)
	return security.Replaced{Text: string(after)}, true, nil
}
