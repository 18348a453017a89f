package gateway

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// endedConn is a connection that knows why it has ended.
type endedConn struct {
	protocol.Conn
	why error
}

func (c endedConn) Err() error { return c.why }

// The reason of a connection's end reaches the status and the calls of the upstream.
func TestLink_Gone(t *testing.T) {
	why := errors.New("the connection is closed: the server has ended with exit code 7 and said last: no such host")
	if got := (&link{conn: endedConn{why: why}}).closeReason(); !errors.Is(got, why) {
		t.Errorf("the reason is %v", got)
	}
	if got := (&link{conn: endedConn{}}).closeReason(); got == nil || got.Error() != "its connection has ended" {
		t.Errorf("without a reason it is %v", got)
	}
	secret := errors.New("it has ended and said last: login with password=hunter2 failed")
	if got := (&Status{State: Down, Err: secret}).reason(); strings.Contains(got, "hunter2") || !strings.Contains(got, "login with password=") {
		t.Errorf("with a secret: %s", got)
	}
	if got := (&Status{State: Starting, Err: why}).reason(); !strings.Contains(got, "starting again") || !strings.Contains(got, "exit code 7") {
		t.Errorf("while it starts again: %s", got)
	}
}
