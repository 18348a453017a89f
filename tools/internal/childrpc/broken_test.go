package childrpc_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

func TestBrokenOff(t *testing.T) {
	broken := &childrpc.WriteError{Text: "it no longer reads", Err: io.ErrClosedPipe}
	if got := broken.Error(); got != "it no longer reads: io: read/write on closed pipe" || !errors.Is(broken, io.ErrClosedPipe) {
		t.Errorf("the error is %q", got)
	}
	for err, want := range map[error]bool{
		nil: false, io.EOF: true, fmt.Errorf("reading: %w", io.ErrUnexpectedEOF): true, fmt.Errorf("sending: %w", broken): true, io.ErrClosedPipe: false,
	} {
		if got := childrpc.BrokenOff(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
