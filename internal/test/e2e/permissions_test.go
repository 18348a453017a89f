package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security/auth"
)

// permissionsDir has a file for every program, with its tools and the permission that each needs. The flag -update writes the
// files.
const permissionsDir = "testdata/permissions"

var updatePermissions = flag.Bool("update", false, "rewrite the files in "+permissionsDir)

// guarded are the programs with the flags that enable all tools.
var guarded = [][]string{
	{"cursorcli", "-profile=all"}, {"editor", "-git", "-debug"}, {"chunks", "-graph"}, {"cqm"}, {"kuromajutsu"}, {"gateway"},
}

// fileTokens are the principals of a token file, with the permissions of each token.
var fileTokens = map[string][]string{
	"nothing": {}, "reader": {"read"}, "writer": {"write"}, "runner": {"run"}, "author": {"read", "write"}, "creator": {"issues:write"}, "everything": {"*"},
}

// TestPermissions_Matrix calls every tool of every program as principals with different permissions. A tool is not listed if the
// principal can never use it. It is listed if another access token could permit it; then a call returns the required scope. Neither
// call runs.
func TestPermissions_Matrix(t *testing.T) {
	t.Parallel()
	for _, p := range guarded {
		t.Run(p[0], func(t *testing.T) {
			t.Parallel()
			g := startGuarded(t, p)
			all := g.list(t, g.token("everything"))
			if *updatePermissions {
				g.update(t, p, all)
			}
			needed := readPermissions(t, p[0])
			if want := slices.Sorted(maps.Keys(needed)); !slices.Equal(all, want) {
				t.Fatalf("the tools are %q, and those in %s are %q", all, permissionsDir, want)
			}
			permits := func(given []string, tool string) bool { return auth.Permits(given, needed[tool]) }
			listed := func(given []string) []string {
				return slices.DeleteFunc(slices.Clone(all), func(tool string) bool { return !permits(given, tool) })
			}
			for name, given := range fileTokens {
				if !g.knows(p, name) {
					continue
				}
				if got, want := g.list(t, g.token(name)), listed(given); !slices.Equal(got, want) {
					t.Errorf("%s sees %q, want %q", name, got, want)
				}
				for _, tool := range all {
					if a := g.call(t, g.token(name), tool, `{"noSuchMember":1}`); a.refused() == permits(given, tool) || a.status != http.StatusOK {
						t.Errorf("%s calls %s: %+v", name, tool, a)
					}
				}
			}
			for _, scopes := range []string{"", "read", "write", "run", "read write", "profile email"} {
				token, given := g.issuer.Token(g.url, map[string]any{"scope": scopes}), strings.Fields(scopes)
				if got := g.list(t, token); !slices.Equal(got, all) {
					t.Errorf("a user with the scopes %q sees %q, and could have them all", scopes, got)
				}
				for _, tool := range all {
					a, need := g.call(t, token, tool, `{"noSuchMember":1}`), needed[tool]
					switch {
					case permits(given, tool) && (a.refused() || a.status != http.StatusOK):
						t.Errorf("a user with the scopes %q calls %s: %+v", scopes, tool, a)
					case !permits(given, tool) && (a.status != http.StatusForbidden || !slices.Contains(a.scopes(), need) || len(a.scopes()) > len(given)+1):
						t.Errorf("a user with the scopes %q calls %s, which needs %s: %+v", scopes, tool, need, a)
					}
				}
			}
		})
		t.Run(p[0]+" with roles", func(t *testing.T) {
			t.Parallel()
			needed := readPermissions(t, p[0])
			g := startGuarded(t, p, "-auth-role=*=read", "-auth-role=group:staff=write,run", "-auth-allow=alice,group:staff")
			for _, user := range []struct {
				claims      map[string]any
				most, given []string
			}{
				{map[string]any{"scope": "read write run"}, []string{"read"}, []string{"read"}},
				{map[string]any{"scope": "write"}, []string{"read"}, nil},
				{map[string]any{"scope": "read", "sub": "bob", "groups": []string{"staff"}}, []string{"read", "write", "run"}, []string{"read"}},
			} {
				token := g.issuer.Token(g.url, user.claims)
				for _, tool := range g.list(t, token) {
					if !auth.Permits(user.most, needed[tool]) {
						t.Errorf("a user with the claims %v sees %s", user.claims, tool)
					}
				}
				for tool, need := range needed {
					a := g.call(t, token, tool, `{"noSuchMember":1}`)
					switch {
					case auth.Permits(user.given, need) && (a.refused() || a.status != http.StatusOK),
						!auth.Permits(user.most, need) && !(a.refused() && a.status == http.StatusOK),
						!auth.Permits(user.given, need) && auth.Permits(user.most, need) && a.status != http.StatusForbidden:
						t.Errorf("a user with the claims %v calls %s: %+v", user.claims, tool, a)
					}
				}
			}
			if a := g.send(t, g.issuer.Token(g.url, map[string]any{"sub": "mallory"}), "tools/list", "", `"params":{`+modernMeta+`}`); a.status != http.StatusForbidden || a.challenge != "" {
				t.Errorf("a user that is not admitted gets %+v", a)
			}
		})
	}
}

// TestPermissions_NothingRuns calls tools with valid arguments and without permission. No file is created.
func TestPermissions_NothingRuns(t *testing.T) {
	t.Parallel()
	g := startGuarded(t, guarded[0])
	made := filepath.Join(g.project, "made.txt")
	for _, token := range []string{g.token("reader"), g.token("nothing"), g.issuer.Token(g.url, map[string]any{"scope": ""}), g.issuer.Token(g.url, map[string]any{"scope": "read"})} {
		g.call(t, token, "write_file", `{"path":"made.txt","content":"x"}`)
		g.call(t, token, "writeFile", `{"path":"made.txt","content":"x"}`)
		g.call(t, token, "execute_command", `{"command":"touch made.txt"}`)
		if _, err := os.Stat(made); err == nil {
			t.Fatal("a file was made without permission")
		}
	}
	if a := g.call(t, g.token("author"), "write_file", `{"path":"made.txt","content":"x"}`); a.refused() {
		t.Errorf("with permission: %+v", a)
	}
	if _, err := os.Stat(made); err != nil {
		t.Error(err)
	}
}

// TestPermissions_UnknownNames starts programs with permissions that no tool needs.
func TestPermissions_UnknownNames(t *testing.T) {
	t.Parallel()
	for _, p := range guarded {
		program := builder.Build(t, "../../../examples/"+p[0], false)
		cmd := guardedCommand(t, program, p, t.TempDir(), "https://login.example.com", "bob="+strings.Repeat("b", 32)+"[nothing:read]")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), `"nothing:read", which no tool needs; tools need admin,`) {
			t.Errorf("%s ends with %v: %s", p[0], err, out)
		}
	}
}

// readPermissions returns the permissions that the tools of a program need, by tool.
func readPermissions(t *testing.T, program string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(permissionsDir, program+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	needed := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		tool, permission, _ := strings.Cut(strings.TrimSpace(line), " ")
		needed[tool] = permission
	}
	return needed
}

// guardedServer is a program that serves HTTP with the tokens of a file and of an issuer.
type guardedServer struct {
	issuer       *authtest.Server // nil for another authorization server
	url, project string
}

// knows reports whether a principal of the file can be one of the program. Only cqm has tools that create issues.
func (*guardedServer) knows(p []string, principal string) bool {
	return principal != "creator" || p[0] == "cqm" || p[0] == "cursorcli"
}

// token returns the token of a principal of the file.
func (g *guardedServer) token(principal string) string { return strings.Repeat(principal+".", 4) }

// guardedCommand returns a program that serves HTTP with authorization.
func guardedCommand(t *testing.T, program string, p []string, project, issuer, tokens string, flags ...string) *exec.Cmd {
	t.Helper()
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(tokens), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"serve", "-root", project}, p[1:]...)
	if p[0] == "gateway" {
		config := filepath.Join(home, "gateway.json")
		content, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"up": map[string]any{
			"command": builder.Build(t, "../../../examples/chunks", false), "args": []string{"-root", project},
		}}})
		if err == nil {
			err = os.WriteFile(config, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		args = []string{"serve", "-config", config, "-list-timeout", "60s", "-per-minute", "0", "-per-hour", "0"}
	}
	args = append(append(args, "-http", "127.0.0.1:0", "-token-file", file, "-auth-issuer", issuer), flags...)
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=")
	if p[0] == "cqm" { // its settings limit the rate of requests
		cmd.Env = append(cmd.Env, "CQM_SECURITY_RATE_LIMITING_ENABLED=false")
	}
	return cmd
}

// startGuarded starts a program with a test issuer. It ends with the test.
func startGuarded(t *testing.T, p []string, flags ...string) *guardedServer {
	t.Helper()
	issuer := authtest.New(t)
	g := startFor(t, issuer.URL, p, nil, flags...)
	g.issuer = issuer
	return g
}

// startFor starts a program with an authorization server and variables. It ends with the test.
func startFor(t *testing.T, issuer string, p, env []string, flags ...string) *guardedServer {
	t.Helper()
	g := &guardedServer{project: t.TempDir()}
	if err := os.WriteFile(filepath.Join(g.project, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var tokens strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fileTokens)) {
		if !g.knows(p, name) {
			continue
		}
		fmt.Fprintf(&tokens, "%s=%s[%s]\n", name, g.token(name), strings.Join(fileTokens[name], " "))
	}
	cmd := guardedCommand(t, builder.Build(t, "../../../examples/"+p[0], false), p, g.project, issuer, tokens.String(), flags...)
	if p[0] == "cursorcli" {
		env = append(env, "PATH="+t.TempDir()) // its list of tools depends on the language servers of the machine
	}
	cmd.Env = append(cmd.Env, env...)
	log := new(waittest.Log)
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("%s ended with %v: %s", p[0], err, log)
		}
	})
	serves := regexp.MustCompile(`serves (\S+)\n`)
	waittest.Until(t, p[0]+" serves", func() bool { return serves.MatchString(log.String()) })
	g.url = serves.FindStringSubmatch(log.String())[1]
	return g
}

// answered is an HTTP response.
type answered struct {
	status          int
	challenge, body string
}

// refused reports whether the response says that a permission is missing.
func (a answered) refused() bool { return strings.Contains(a.body, "PERMISSION_REQUIRED") }

// scopes returns the scopes of the challenge.
func (a answered) scopes() []string {
	match := regexp.MustCompile(`scope="([^"]*)"`).FindStringSubmatch(a.challenge)
	if match == nil || !strings.Contains(a.challenge, `error="insufficient_scope"`) {
		return nil
	}
	return strings.Fields(match[1])
}

// send sends a request of revision 2026-07-28.
func (g *guardedServer) send(t *testing.T, token, method, tool, params string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url, bytes.NewBufferString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`",`+params+`}`))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": tool,
	} {
		if value != "" {
			r.Header.Set(key, value)
		}
	}
	response, err := (&http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{response.StatusCode, response.Header.Get("WWW-Authenticate"), string(body)}
}

// call calls a tool.
func (g *guardedServer) call(t *testing.T, token, tool, arguments string) answered {
	t.Helper()
	return g.send(t, token, "tools/call", tool, fmt.Sprintf(`"params":{"name":%q,"arguments":%s,%s}`, tool, arguments, modernMeta))
}

// update writes the permission file of a program: for each tool the lowest permission with which it is listed.
func (g *guardedServer) update(t *testing.T, p, all []string) {
	t.Helper()
	found := make(map[string]string)
	for _, name := range []string{"creator", "runner", "writer", "reader"} {
		if g.knows(p, name) {
			for _, tool := range g.list(t, g.token(name)) {
				found[tool] = fileTokens[name][0]
			}
		}
	}
	var text strings.Builder
	for _, tool := range all {
		fmt.Fprintln(&text, tool, found[tool])
	}
	if err := os.WriteFile(filepath.Join(permissionsDir, p[0]+".txt"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// list returns the names of the listed tools, sorted.
func (g *guardedServer) list(t *testing.T, token string) []string {
	t.Helper()
	a := g.send(t, token, "tools/list", "", `"params":{`+modernMeta+`}`)
	_, text, isStream := strings.Cut(a.body, "data: ")
	if !isStream {
		text = a.body
	}
	var m struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&m); err != nil || a.status != http.StatusOK {
		t.Fatalf("the list is %+v, %v", a, err)
	}
	var names []string
	for _, tool := range m.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}
