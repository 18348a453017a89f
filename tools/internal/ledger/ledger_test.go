package ledger_test

import (
	"strconv"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/ledger"
)

// The limits are 4,096 files of a peer and 256 peers. The most recently used entries remain.
func TestLedger_Bounded(t *testing.T) {
	var l ledger.Ledger
	ctx := ledger.WithPeer(t.Context(), "first")
	for i := range 4097 {
		l.Record(ctx, strconv.Itoa(i), "sum")
		if sum, known := l.Seen(ctx, "0"); sum != "sum" || !known {
			t.Fatalf("after %d files the one that is always asked for is %q, %v", i, sum, known)
		}
	}
	for name, want := range map[string]string{"0": "sum", "1": "", "2": "sum", "4096": "sum"} {
		if sum, _ := l.Seen(ctx, name); sum != want {
			t.Errorf("%s is %q, want %q", name, sum, want)
		}
	}
	l.Forget(ctx, "2")
	if sum, _ := l.Seen(ctx, "2"); sum != "" {
		t.Errorf("a forgotten file is %q", sum)
	}
	for i := range 256 {
		l.Record(ledger.WithPeer(t.Context(), strconv.Itoa(i)), "a", "sum")
	}
	if sum, _ := l.Seen(ctx, "0"); sum != "" {
		t.Errorf("the peer that was silent longest has seen %q", sum)
	}
	for _, peer := range []string{"0", "255"} {
		if sum, _ := l.Seen(ledger.WithPeer(t.Context(), peer), "a"); sum != "sum" {
			t.Errorf("the peer %s has seen %q", peer, sum)
		}
	}
}
