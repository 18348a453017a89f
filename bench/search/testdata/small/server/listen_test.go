package server

import "testing"

func TestSplitHostPort(t *testing.T) {
	if host, port := splitHostPort("localhost:80"); host != "localhost" || port != "80" {
		t.Errorf("splitHostPort: %q, %q", host, port)
	}
}
