package gateway

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
)

// endedConn is a connection that knows why it has ended.
type endedConn struct {
	mcp.Conn
	why error
}

func (c endedConn) Err() error { return c.why }

// The reason of a connection's end reaches the status and the calls of the upstream.
func TestLink_Gone(t *testing.T) {
	why := errors.New("the connection is closed: the server has ended with exit code 7 and said last: no such host")
	if got := (&link{conn: endedConn{why: why}}).gone(); !errors.Is(got, why) {
		t.Errorf("the reason is %v", got)
	}
	if got := (&link{conn: endedConn{}}).gone(); got == nil || got.Error() != "its connection has ended" {
		t.Errorf("without a reason it is %v", got)
	}
	if got := (&Status{State: Starting, Err: why}).reason(); !strings.Contains(got, "starting again") || !strings.Contains(got, "exit code 7") {
		t.Errorf("while it starts again: %s", got)
	}
}
