package index_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// gate is a parser that waits to be let through.
func gate() (parsers *source.Parsers, entered chan struct{}, open chan struct{}) {
	entered, open = make(chan struct{}, 1000), make(chan struct{})
	return source.NewParsers(toy{parsing: func([]byte) {
		entered <- struct{}{}
		<-open
	}}), entered, open
}

func TestAnalyze_JoinRunning(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("f%d.go", i)] = "func f\n"
	}
	p := newProject(t, files)
	parsers, entered, open := gate()
	x := p.index(index.Options{Parsers: parsers})
	var callers group.Group
	var told atomic.Int64
	reports := make(chan index.Report, 3)
	call := func(dir string) {
		callers.Go(func() {
			report, err := x.Analyze(p.Context(), dir, index.AnalyzeOptions{}, func(pr index.Progress) {
				if pr.Files == 20 && pr.Changed == 20 {
					told.Add(1)
				}
			})
			if err != nil {
				t.Error(err)
			}
			reports <- report
		})
	}
	call(".")
	<-entered
	call(p.dir) // the same by another name
	call(".")
	waittest.Until(t, "all callers are told of the progress", func() bool { return told.Load() >= 3 })
	close(open)
	callers.Wait()
	joined := 0
	for range 3 {
		report := <-reports
		if report.Parsed != 20 {
			t.Errorf("%+v", report)
		}
		if report.Joined {
			joined++
		}
	}
	if joined != 2 {
		t.Errorf("%d joined, want 2", joined)
	}
}

// TestAnalyze_Cancellation checks that work continues until its last caller leaves.
func TestAnalyze_Cancellation(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n", "b.go": "func b\n", "c.go": "func c\n"})
	parsers, entered, open := gate()
	x := p.index(index.Options{Parsers: parsers, Workers: 1})
	var callers group.Group
	ctx1, leave1 := context.WithCancel(p.Context())
	ctx2, leave2 := context.WithCancel(p.Context())
	defer leave2()
	left, second := make(chan error, 1), make(chan index.Report, 1)
	callers.Go(func() {
		_, err := x.Analyze(ctx1, ".", index.AnalyzeOptions{}, nil)
		left <- err
	})
	<-entered
	joined := make(chan struct{}, 100)
	callers.Go(func() {
		report, err := x.Analyze(ctx2, ".", index.AnalyzeOptions{}, func(index.Progress) { joined <- struct{}{} })
		if err != nil {
			t.Error(err)
		}
		second <- report
	})
	<-joined
	leave1()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller: %v", err)
	}
	open <- struct{}{}
	<-entered
	open <- struct{}{}
	<-entered
	open <- struct{}{}
	if report := <-second; report.Parsed != 3 || !report.Joined || report.Incomplete {
		t.Errorf("the second caller: %+v", report)
	}

	ctx3, leave3 := context.WithCancel(p.Context())
	callers.Go(func() {
		_, err := x.Analyze(ctx3, ".", index.AnalyzeOptions{Force: true}, nil)
		left <- err
	})
	<-entered
	leave3()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the last caller: %v", err)
	}
	close(open) // what is being parsed ends, and no more is begun
	callers.Wait()
	p.close(x)
	if len(entered) != 0 {
		t.Error("the work went on though nobody waited for it")
	}
	if got := paths(x); len(got) != 3 {
		t.Errorf("the index has lost files: %v", got)
	}
}

// TestClose_RunningAnalysis checks that Close cancels work and keeps parsed files.
func TestClose_RunningAnalysis(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n", "b.go": "func b\n"})
	parsers, entered, open := gate()
	store := p.store()
	x := p.index(index.Options{Parsers: parsers, Workers: 1, Store: store})
	var callers group.Group
	callers.Go(func() {
		report, err := x.Analyze(p.Context(), ".", index.AnalyzeOptions{}, nil)
		if err == nil || !errors.Is(err, index.ErrClosed) && !report.Incomplete {
			t.Errorf("%+v: %v", report, err)
		}
	})
	<-entered
	ended, cancel := context.WithCancel(p.Context())
	cancel()
	if err := x.Close(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Close with an ended context: %v", err)
	}
	close(open)
	callers.Wait()
	waittest.Until(t, "what was read is saved", func() bool {
		y := p.index(index.Options{Store: p.store()})
		defer p.close(y)
		return y.Snapshot().Len() == 1
	})
}
