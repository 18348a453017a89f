package chunking_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/source"
)

// busyParser is a parser that is stopped before its end.
type busyParser struct{}

func (busyParser) Name() string                 { return "busy" }
func (busyParser) Languages() []source.Language { return []source.Language{source.Go} }

func (busyParser) Parse(context.Context, []byte, source.Language, source.Options) (*source.File, error) {
	return nil, fmt.Errorf("parsing go: %w", source.ErrBusy)
}

// A parse that a busy machine stopped says nothing about the text: the caller is asked to try again.
func TestListFunctions_BusyMachine(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true, Parsers: source.NewParsers(busyParser{})}, map[string]string{"a.go": "package a\n"})
	_, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "a.go"})
	if security.CodeOf(err) != security.Timeout {
		t.Errorf("%v", err)
	}
}
