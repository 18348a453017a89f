package index_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// fullStore saves nothing.
type fullStore struct{}

var errFull = errors.New("the disk is full")

func (fullStore) Load(context.Context) ([]*index.File, error)         { return nil, nil }
func (fullStore) Save(context.Context, []*index.File, []string) error { return errFull }
func (fullStore) Close() error                                        { return nil }

// A disk that cannot be written is logged once, not with every change.
func TestIndex_UnsavedIsLoggedOnce(t *testing.T) {
	p := newProject(t, sources)
	var log bytes.Buffer
	x, err := index.Open(t.Context(), p.root, index.Options{Parsers: p.toys(), Store: fullStore{}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"func first\n", "func second\n", "func third\n"} {
		p.writeNow("a.go", text)
		if _, err := x.Analyze(t.Context(), ".", index.AnalyzeOptions{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(t.Context()); !errors.Is(err, errFull) {
		t.Errorf("the end has the error %v", err)
	}
	if got := strings.Count(log.String(), "could not be saved"); got != 1 {
		t.Errorf("it is logged %d times:\n%s", got, &log)
	}
}
