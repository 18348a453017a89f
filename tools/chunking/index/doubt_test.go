package index_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// A change that leaves size and time as they were is seen if it may have come
// right after the reading, and not looked for if the file was old by then.
func TestAnalyze_ChangeInSameTick(t *testing.T) {
	p := newProject(t, map[string]string{"new.go": "func a\n", "old.go": "func a\n"})
	now := time.Now().Add(time.Hour) // however long the test takes, it is not over
	set := func(name, content string, modified time.Time) {
		p.writeNow(name, content)
		if err := os.Chtimes(p.path(name), modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	old := now.Add(-2 * time.Hour)
	set("new.go", "func a\n", now)
	set("old.go", "func a\n", old)
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	set("new.go", "func b\n", now)
	set("old.go", "func b\n", old) // which nobody does
	if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Parsed != 1 || report.Unchanged != 1 {
		t.Errorf("%+v", report)
	}
	if f, _ := x.Lookup("new.go"); f.Symbol(0).Name != "b" {
		t.Error("the change was not seen")
	}
	if report := p.analyze(x, ".", index.AnalyzeOptions{Force: true}); report.Parsed != 2 {
		t.Errorf("with Force: %+v", report)
	}
}

// TestJSONStore_LogRemoved removes the log during use: the next analysis saves the files again.
func TestJSONStore_LogRemoved(t *testing.T) {
	p := stored(t)
	x := p.again()
	p.remove(data + "/" + index.LogName)
	p.write("a.go", "func a2\n")
	p.update(x, "a.go")
	p.close(x)
	y := p.again()
	p.analyze(y, ".", index.AnalyzeOptions{})
	p.close(y)
	p.same(p.again(), p.fresh(index.Options{Calls: true}))
}

// until is a parser that reads until its context ends.
type until struct {
	toy
	begun, ended chan struct{}
}

func (u until) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	u.begun <- struct{}{}
	<-ctx.Done()
	close(u.ended)
	return nil, ctx.Err()
}

// When the last caller leaves, the parser is told.
func TestAnalyze_LastCallerLeaves(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	u := until{begun: make(chan struct{}), ended: make(chan struct{})}
	x := p.index(index.Options{Parsers: source.NewParsers(u)})
	ctx, leave := context.WithCancel(p.Context())
	var callers group.Group
	callers.Go(func() {
		if _, err := x.Analyze(ctx, ".", index.AnalyzeOptions{}, nil); err == nil {
			t.Error("no error though the context has ended")
		}
	})
	<-u.begun
	leave()
	select {
	case <-u.ended:
	case <-time.After(30 * time.Second):
		t.Error("the parser goes on though nobody waits for it")
	}
	callers.Wait()
}
