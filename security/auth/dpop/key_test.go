package dpop_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/auth/dpop"
)

func TestKey_PEM(t *testing.T) {
	key := newKey(t)
	text, err := key.MarshalPEM()
	if err != nil {
		t.Fatal(err)
	}
	again, err := dpop.ParseKey(text)
	if err != nil || again.Thumbprint() != key.Thumbprint() || len(key.Thumbprint()) != 43 {
		t.Fatalf("it is read as %v, %v", again, err)
	}
	var checker dpop.Checker
	if got, err := checker.Check(with(proofOf(t, again, "POST", target, "", "")), target, ""); got != key.Thumbprint() || err != nil {
		t.Errorf("a proof with it is of %q, %v", got, err)
	}

	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dpop.ParseKey(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1})); err != nil {
		t.Errorf("a key in SEC 1: %v", err)
	}
	large, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := x509.MarshalPKCS8PrivateKey(large)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":       {"", "not PEM"},
		"no key":        {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "reading the key"},
		"another curve": {string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: other})), "P-256"},
	} {
		if _, err := dpop.ParseKey([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestSameTarget_Normalization(t *testing.T) {
	key := newKey(t)
	for _, tc := range []struct {
		signed, target string
		same           bool
	}{
		{"https://h/mcp", "https://h/mcp", true},
		{"https://h/mcp?a=1#b", "https://h/mcp", true},
		{"HTTPS://H:443/mcp", "https://h/mcp", true},
		{"http://h:80/", "http://h", true},
		{"https://h/%7emcp/%2f", "https://h/~mcp/%2F", true},
		{"https://h/a/../mcp/.", "https://h/mcp/", true},
		{"wss://h/ws", "https://h/ws", true},
		{"ws://[::1]:80/ws", "http://[::1]/ws", true},
		{"https://h/mcp", "http://h/mcp", false},
		{"https://h/mcp", "https://h/mcp/", false},
		{"https://h/mcp", "https://h/MCP", false},
		{"https://h/mcp", "https://h:8443/mcp", false},
		{"https://h/mcp", "https://h.example.com/mcp", false},
		{"https://h/a%2fb", "https://h/a/b", false},
		{"https://h//mcp", "https://h/mcp", false},
		{"https://user@h/mcp", "https://user@h/mcp", true},
		{"https://h/mcp", "/mcp", false},
	} {
		var checker dpop.Checker
		_, err := checker.Check(with(proofOf(t, key, "POST", tc.signed, "", "")), tc.target, "")
		if tc.signed == "https://user@h/mcp" { // the user is left out of the proof, and is in no URL of a server
			tc.same = false
		}
		if (err == nil) != tc.same {
			t.Errorf("%s for %s: %v", tc.signed, tc.target, err)
		}
	}
	for _, wrong := range []string{"", "/mcp", "mailto:a@b", "https://h/%zz"} {
		if _, err := key.Proof("POST", wrong, "", ""); err == nil {
			t.Errorf("a proof is made for %q", wrong)
		}
	}
}
