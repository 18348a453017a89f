package sandbox_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
)

func TestSeatbelt_Profile(t *testing.T) {
	o := sandbox.Options{
		Dirs: []string{`/Users/u/a "b"*`}, Protected: []string{".git/config", ".git/modules/*/config", ".cursor", "!.cursor/rules"},
		Hidden: []string{"/Users/u/p/logs/audit.log*"}, Read: []string{"/Users/u/go/bin"}, Sockets: []string{"/private/tmp/agent"}, Network: sandbox.NetworkLoopback,
	}
	profile := sandbox.Seatbelt(o, "/Users/u/state/home", "/private/tmp/t")
	at := 0
	for _, part := range []string{
		"(version 1)\n(deny default)\n", `(subpath "/Users/u/go/bin")`, `(subpath "/Users/u/a \"b\"*")`, "(allow file-read* file-write*\n  (subpath \"/Users/u/state/home\")",
		"(deny file-write*\n  (regex #\"^/Users/u/a \\\"b\\\"\\*/\\.git/config(/.*)?$\")", `(regex #"^/Users/u/a \"b\"\*/\.git/modules/[^/]*/config(/.*)?$")`,
		"(allow file-write*\n  (regex #\"^/Users/u/a \\\"b\\\"\\*/\\.cursor/rules(/.*)?$\")", `(regex #"^/Users/u/p/logs/audit\.log[^/]*(/.*)?$")`,
		`(allow network-outbound (remote ip "localhost:*"))`, `(literal "/private/tmp/agent")`,
	} {
		i := strings.Index(profile[at:], part)
		if i < 0 {
			t.Fatalf("%s is missing behind position %d of\n%s", part, at, profile)
		}
		at += i
	}
	if strings.Count(profile, "(") != strings.Count(profile, ")") {
		t.Error("the parentheses do not match")
	}
	o.ReadOnly, o.Network = true, sandbox.NetworkOff
	profile = sandbox.Seatbelt(o, "/h", "/t")
	if strings.Contains(profile, "remote ip") || strings.Contains(profile, "file-write*\n  (subpath \"/h\")\n  (subpath \"/t\")\n  (subpath \"/Users") {
		t.Errorf("a read-only project without network:\n%s", profile)
	}
}
