package tools_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// broken is a set that panics on demand.
type broken struct {
	features, close bool
	changed         func()
}

func (b *broken) Features() mcp.Features {
	if b.features {
		panic("features are broken")
	}
	return mcp.Features{}
}

func (b *broken) Watch(changed func()) (stop func()) {
	b.changed = changed
	return func() {}
}

func (b *broken) Close(context.Context) error {
	if b.close {
		panic("close is broken")
	}
	return nil
}

func TestInstallation_CloseReportsPanicsAndClosesTheOtherSets(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "test"}, nil)
	first, last := newHouse("first"), &cellar{}
	in, err := tools.Install(srv, "all", tools.Profile{}, first, &broken{close: true}, last)
	if err != nil {
		t.Fatal(err)
	}
	err = in.Close(t.Context())
	if err == nil || !strings.Contains(err.Error(), "close is broken") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("Close returns %v", err)
	}
	if !first.closed.Load() || !last.closed.Load() {
		t.Error("a set beside the broken one stays open")
	}
}

func TestInstallation_RefreshGoesOnAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(mcp.Implementation{Name: "test"}, nil)
		set, inn := &broken{}, &lodge{}
		in, err := tools.Install(srv, "all", tools.Profile{}, set, inn)
		if err != nil {
			t.Fatal(err)
		}
		set.features = true
		set.changed()
		synctest.Wait()
		set.features = false
		inn.offer("come")
		synctest.Wait()
		if got := names(srv); got != "come" {
			t.Errorf("the tools are %q", got)
		}
		if err := in.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "features are broken") {
			t.Errorf("Close returns %v", err)
		}
	})
}
