package fs_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

// as returns the project for the named peer.
func (p project) as(name string) peer {
	return peer{p, tools.WithPeer(context.Background(), name)}
}

// peer calls the tools of a project as one peer.
type peer struct {
	project
	ctx context.Context
}

func (p peer) read(t testing.TB, args fs.ReadArgs) fs.ReadResult {
	t.Helper()
	got, err := p.Read(p.ctx, args)
	if err != nil {
		t.Fatalf("reading %+v: %v", args, err)
	}
	return got
}

func (p peer) write(t testing.TB, args fs.WriteArgs) fs.WriteResult {
	t.Helper()
	got, err := p.Write(p.ctx, args)
	if err != nil {
		t.Fatalf("writing %+v: %v", args, err)
	}
	return got
}
