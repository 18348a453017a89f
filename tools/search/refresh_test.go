package search_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/transport"
)

// TestRefresh_Running checks that the result of a refresh that continues has the counts of all plugins that have finished.
func TestRefresh_Running(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := newShelf(t, map[string]string{"slow.go": "package slow\n"})
		slow.hold = make(chan struct{})
		plugins := []plugin.Plugin{slow}
		for i := range 10 {
			s := newShelf(t, map[string]string{"a.go": "package a\n"})
			s.name = fmt.Sprint("shelf", i)
			plugins = append(plugins, s)
		}
		p := newProject(t, nil, search.Options{}, plugins...)
		r, err := p.Refresh(t.Context(), search.RefreshArgs{WaitMs: 1000})
		if err != nil || r.Status != "running" || r.Files != 10 {
			t.Errorf("got %+v, %v; want 10 files", r, err)
		}
	})
}

// TestRefresh_Progress checks that the progress of several plugins includes the ones that have finished.
func TestRefresh_Progress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newShelf(t, map[string]string{"a.go": "package a\n"}), newShelf(t, map[string]string{"b.go": "package b\n"})
		first.name, second.name = "first", "second"
		first.hold, second.hold = make(chan struct{}), make(chan struct{})
		first.set(func(s *plugin.Status) { s.Done, s.Total = 5, 10 })
		second.set(func(s *plugin.Status) { s.Done, s.Total = 1, 10 })
		server := mcp.NewServer(mcp.Implementation{Name: "search", Version: "1"}, nil)
		if _, err := tools.Install(server, "search", tools.Profile{}, newProject(t, nil, search.Options{}, first, second).Search); err != nil {
			t.Fatal(err)
		}
		client, err := mcp.Connect(t.Context(), transport.InMemory{Server: server}, mcp.Implementation{Name: "test", Version: "1"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		var got []string
		r, err := client.CallTool(t.Context(), "refresh_index", search.RefreshArgs{WaitMs: 10_000}, &mcp.CallOptions{
			OnProgress: func(n protocol.ProgressNotification) {
				got = append(got, fmt.Sprintf("%v of %v", n.Progress, n.Total))
				switch n.Progress {
				case 6:
					first.set(func(s *plugin.Status) { s.Done, s.Total = 0, 0 })
					second.set(func(s *plugin.Status) { s.Done = 2 })
					close(first.hold)
				case 12:
					close(second.hold)
				}
			},
		})
		if err != nil || r.IsError || toolsettest.Structured[search.RefreshResult](t, r).Status != "done" {
			t.Errorf("got %+v, %v", r, err)
		}
		if fmt.Sprint(got) != "[6 of 20 12 of 20]" {
			t.Errorf("the progress was %q", got)
		}
	})
}
