//go:build unix

package clientconfig_test

import (
	"strings"
	"syscall"
	"testing"
)

func TestPlan_Pipe(t *testing.T) {
	d := newDesk(t)
	if err := syscall.Mkfifo(d.file("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.in.Plan(d.at("cursor", "pipe"), "tool", server); err == nil || !strings.Contains(err.Error(), "neither a regular file") {
		t.Errorf("%v", err)
	}
}
