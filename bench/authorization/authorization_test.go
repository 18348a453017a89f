// Package authorization_test tests a program with an authorization server of github.com/zitadel/oidc, which issues access tokens
// for clients instead of resources.
package authorization_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/waittest"
)

// TestZitadel_AccessTokens calls tools with tokens whose audience is the client and whose scopes have other names.
func TestZitadel_AccessTokens(t *testing.T) {
	p := startProvider(t)
	at := startProgram(t, p.url, "-auth-audience="+clientID, "-auth-scope-name=read=tools.read", "-auth-scope-name=write=tools.write", "-auth-scopes=read,write")
	reads, writes := p.login(t, clientID, "tools.read"), p.login(t, clientID, "tools.read tools.write")

	header, said := claims(t, reads.Access)
	if diff := cmp.Diff(map[string]any{"alg": "RS256", "kid": "first", "typ": "JWT"}, header); diff != "" {
		t.Errorf("the header of access tokens: want - got +:\n%s", diff)
	}
	if diff := cmp.Diff([]any{clientID}, said["aud"]); diff != "" {
		t.Errorf("the audience of access tokens: want - got +:\n%s", diff)
	}

	const list, write = `"list_directory","arguments":{"path":"."}`, `"write_file","arguments":{"path":"made.txt","content":"x"}`
	for name, c := range map[string]struct {
		token, tool string
		status      int
		says        string // in the body or the challenge
	}{
		"reading":                             {reads.Access, list, http.StatusOK, "main.go"},
		"writing without the scope":           {reads.Access, write, http.StatusForbidden, `scope="tools.read tools.write"`},
		"writing":                             {writes.Access, write, http.StatusOK, "made.txt"},
		"with the token of another client":    {p.login(t, otherClient, "tools.read tools.write").Access, list, http.StatusUnauthorized, "another server"},
		"with an ID token":                    {reads.ID, list, http.StatusUnauthorized, "ID token"},
		"with the ID token of another client": {p.login(t, otherClient, "tools.read").ID, list, http.StatusUnauthorized, "invalid_token"},
		"with a refresh token":                {reads.Refresh, list, http.StatusUnauthorized, "invalid_token"},
		"with a token of a scope for users":   {p.login(t, clientID, "profile").Access, list, http.StatusForbidden, `scope="tools.read"`},
		"without a token":                     {"", list, http.StatusUnauthorized, `scope="tools.read"`},
	} {
		if status, text := call(t, at, c.token, c.tool); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d with %s", name, status, text, c.status, c.says)
		}
	}
}

// TestZitadel_KeyRotation lets the authorization server sign with another key that it has published before.
func TestZitadel_KeyRotation(t *testing.T) {
	p := startProvider(t)
	p.addKey(t, "second")
	at := startProgram(t, p.url, "-auth-audience="+clientID, "-auth-scope-name=read=tools.read", "-auth-scopes=read")
	before := p.login(t, clientID, "tools.read").Access
	const list = `"list_directory","arguments":{"path":"."}`
	if status, text := call(t, at, before, list); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	p.rotate()
	after := p.login(t, clientID, "tools.read").Access
	if header, _ := claims(t, after); header["kid"] != "second" {
		t.Errorf("the header is %v", header)
	}
	for name, token := range map[string]string{"before": before, "after": after} {
		if status, text := call(t, at, token, list); status != http.StatusOK {
			t.Errorf("the token from %s the rotation: %d %s", name, status, text)
		}
	}
}

// startProgram starts cursorcli and returns its URL. The program ends with the test.
func startProgram(t *testing.T, issuer string, flags ...string) string {
	t.Helper()
	home, project := t.TempDir(), t.TempDir()
	program := filepath.Join(home, "cursorcli")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "../../examples/cursorcli"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(project, "main.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"serve", "-root", project, "-http", "127.0.0.1:0", "-auth-issuer", issuer}, flags...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=")
	log := new(waittest.Log)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the program says: %s", log)
		}
	})
	serves := regexp.MustCompile(`serves (\S+)\n`)
	waittest.Until(t, "the program serves", func() bool { return serves.MatchString(log.String()) })
	return serves.FindStringSubmatch(log.String())[1]
}

// call calls a tool and returns the status, and the challenge and body as one text.
func call(t *testing.T, at, token, tool string) (int, string) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(tool, `"`), `"`)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, tool)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name,
	} {
		r.Header.Set(key, value)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := (&http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("WWW-Authenticate") + " " + string(text)
}
