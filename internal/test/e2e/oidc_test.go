package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/internal/waittest"
)

// oidcProvider is a running authorization server, the npm package oidc-provider; see node/oidc.mjs.
type oidcProvider struct {
	url string
	log *waittest.Log
}

// oidcCounts counts the requests of a client to the authorization server: interactions with the user, and tokens issued for an
// authorization code or a refresh token.
type oidcCounts struct{ Logins, Consents, Codes, Refreshes int }

// startOIDC starts an authorization server until the test ends.
func startOIDC(t *testing.T, flags ...string) *oidcProvider {
	t.Helper()
	node := needNode(t)
	at := filepath.Join("node", "node_modules", "oidc-provider", "package.json")
	_, err := filepath.EvalSymlinks(at)
	testrequire.Thing(t, err == nil, "internal/test/e2e/"+filepath.ToSlash(at), "run npm ci --prefix internal/test/e2e/node --ignore-scripts in the repository's root")
	cmd := exec.CommandContext(t.Context(), node, append([]string{"oidc.mjs"}, flags...)...)
	cmd.Dir = "node"
	p := &oidcProvider{log: new(waittest.Log)}
	cmd.Stderr = p.log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the authorization server says: %s", p.log)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the authorization server does not start: %v: %s", err, p.log)
	}
	p.url = strings.TrimSpace(line)
	return p
}

// counts returns the requests of a client.
func (p *oidcProvider) counts(t *testing.T, client string) (c oidcCounts) {
	t.Helper()
	p.get(t, "/counts?client="+url.QueryEscape(client), &c)
	return c
}

func (p *oidcProvider) get(t *testing.T, path string, to any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(to); err != nil {
		t.Fatal(err)
	}
}

// permitted are two tool calls of a program: one that reads, and one that needs another permission. Results contain the texts.
type permitted struct {
	program              []string
	read, change         string
	says, done, toChange string
}

var permittedCalls = []permitted{
	{guarded[0], `list_directory={"path":"."}`, `write_file={"path":"made.txt","content":"x"}`, "main.go", "made.txt", "write"},
	{guarded[1], `list_directory={"path":"."}`, `write_file={"path":"made.txt","content":"x"}`, "main.go", "made.txt", "write"},
	{guarded[2], `list_functions_in_file={"filePath":"main.go"}`, `replace_function_chunk={"filePath":"main.go","functionSignature":"main","newCode":"func main() { println() }"}`, "main", "replaced", "write"},
	{guarded[3], `get_index_status`, `createIssue={"title":"The lamp is out"}`, "", "", "issues:write"},
	{guarded[4], `list_agents`, `create_group={"description":"Lamps"}`, "", "", "run"},
	{guarded[5], `gateway_servers`, `up_replace_function_chunk={"filePath":"main.go","functionSignature":"main","newCode":"func main() { println() }"}`, "up", "replaced", "write"},
}

// TestOIDC_Clients logs in at oidc-provider with the clients of the TypeScript SDK, for every program. A tool that needs another
// permission, and an expired access token, do not need a second login.
func TestOIDC_Clients(t *testing.T) {
	t.Parallel()
	provider := startOIDC(t, "--life=6", "--offline")
	modes := []string{"legacy", "auto", "2026-07-28"}
	for i, p := range permittedCalls {
		t.Run(p.program[0], func(t *testing.T) {
			t.Parallel()
			g := startFor(t, provider.url, p.program, nil)
			for _, client := range [][2]string{{"v1", "legacy"}, {"v2", modes[i%len(modes)]}} {
				name, got := strings.Join(client[:], " "), useWithLogin(t, g.url, client, p.read, p.change, "--tokens=3")
				// Version 1 does not request the scope offline_access. It gets no refresh token and repeats the authorization.
				want, asked := oidcCounts{Logins: 1, Consents: 2, Codes: 3}, []string{"read", joinSorted("read", p.toChange), "read"}
				if client[0] == "v2" {
					want, asked = oidcCounts{Logins: 1, Consents: 2, Codes: 2, Refreshes: 1}, []string{"read offline_access", "read " + p.toChange + " offline_access"}
				}
				if counts := provider.counts(t, got.Client); counts != want {
					t.Errorf("%s asked for %+v, want %+v", name, counts, want)
				}
				if diff := cmp.Diff(asked, got.Asked); diff != "" {
					t.Errorf("%s: scopes: want - got +:\n%s", name, diff)
				}
				if want := g.list(t, g.token("everything")); !slices.Equal(got.Listed, want) {
					t.Errorf("%s lists %q, want %q", name, got.Listed, want)
				}
				if len(got.Answers) != 2 || !strings.Contains(got.Answers[0], p.says) || !strings.Contains(got.Answers[1], p.done) {
					t.Errorf("%s: the answers are %q", name, got.Answers)
				}
			}
		})
	}
}

// TestOIDC_InitialScopes logs in with version 1 of the SDK at an authorization server that issues refresh tokens to every client.
// The SDK answers a challenge for another scope with a refresh, which returns the same scope. The server must therefore request all
// scopes at first.
func TestOIDC_InitialScopes(t *testing.T) {
	t.Parallel()
	provider, p := startOIDC(t, "--life=6"), permittedCalls[0]
	g := startFor(t, provider.url, p.program, nil, "-auth-initial=read,write")
	got := useWithLogin(t, g.url, [2]string{"v1", "legacy"}, p.read, p.change, "--tokens=2")
	if want := []string{"read write"}; !slices.Equal(got.Asked, want) {
		t.Errorf("scopes %q, want %q", got.Asked, want)
	}
	if counts, want := provider.counts(t, got.Client), (oidcCounts{Logins: 1, Consents: 1, Codes: 1, Refreshes: 1}); counts != want {
		t.Errorf("%+v, want %+v", counts, want)
	}
	if len(got.Answers) != 2 || !strings.Contains(got.Answers[1], p.done) {
		t.Errorf("the answers are %q", got.Answers)
	}
}

// TestOIDC_Groups gives a permission to the members of a group, with signed tokens and with token introspection.
func TestOIDC_Groups(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"jwt", "opaque"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			provider, p := startOIDC(t, "--format="+format), permittedCalls[0]
			flags := []string{"-auth-role=*=read", "-auth-role=group:staff=write"}
			if format == "opaque" {
				flags = append(flags, "-auth-introspect="+provider.url+"/token/introspection")
			}
			g := startFor(t, provider.url, p.program, []string{"DOUGU_INTROSPECT_CLIENT=resource-server:s3cret:of the server"}, flags...)
			needed := readPermissions(t, p.program[0])
			for user, most := range map[string][]string{"alice": {"read", "write"}, "bob": {"read"}} {
				got := useWithLogin(t, g.url, [2]string{"v2", "auto"}, p.read, p.change, "--user="+user)
				var want []string
				for tool, permission := range needed {
					if slices.Contains(most, permission) {
						want = append(want, tool)
					}
				}
				slices.Sort(want)
				if diff := cmp.Diff(want, got.Listed); diff != "" {
					t.Errorf("%s sees: want - got +:\n%s", user, diff)
				}
				isMember := len(most) > 1
				if len(got.Asked) != len(most) || len(got.Answers) != 2 || strings.Contains(got.Answers[1], "PERMISSION_REQUIRED") == isMember {
					t.Errorf("%s: %+v", user, got)
				}
			}
		})
	}
}

// loggedIn is the output of authorization.mjs.
type loggedIn struct {
	Listed, Answers, Asked []string
	Client                 string
}

// useWithLogin calls two tools with a client of the TypeScript SDK.
func useWithLogin(t *testing.T, url string, client [2]string, read, change string, flags ...string) (got loggedIn) {
	t.Helper()
	args := append([]string{"authorization.mjs", "--sdk=" + client[0], "--mode=" + client[1]}, flags...)
	cmd := exec.CommandContext(t.Context(), needNode(t), append(args, url, read, change)...)
	cmd.Dir = "node"
	stderr := new(strings.Builder)
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s%s", client, err, out, stderr)
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// joinSorted returns sorted names, separated by blanks.
func joinSorted(names ...string) string {
	slices.Sort(names)
	return strings.Join(names, " ")
}
