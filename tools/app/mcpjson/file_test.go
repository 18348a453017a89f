package mcpjson_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/app/mcpjson"
)

// variables returns the values of variables for the tests.
func variables() mcpjson.Variables {
	set := map[string]string{"TOKEN": "s3cret", "EMPTY": "", "DIR": "/srv"}
	return mcpjson.Variables{
		Lookup:    func(name string) (string, bool) { v, ok := set[name]; return v, ok },
		Workspace: "/work", Home: "/home/me",
	}
}

func TestParse(t *testing.T) {
	f, err := mcpjson.Parse([]byte("\xef\xbb\xbf"+`{
	  "inputs": [],
	  "mcpServers": {
	    "files": {"command": "npx", "args": ["-y", "x", "${workspaceFolder}", "${userHome}/a", "${NONE:-else}", "${EMPTY:-else}"], "env": {"A": "${env:TOKEN}"}, "cwd": "${DIR}", "autoApprove": ["x"]},
	    "issues": {"url": "https://issues.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"},
	      "gateway": {"prefix": "gh", "deny": ["delete_*"], "timeout": "2m", "describe": {"a": "b"}, "asks": false, "tokens": {"alice": "${TOKEN}"}}},
	    "live": {"url": "wss://live.example"},
	    "old": {"type": "sse", "url": "https://old.example/sse", "gateway": {"oauth": {"issuer": "https://as.example", "clientId": "me", "clientSecret": "${env:TOKEN}"}}},
	    "off": {"command": "x", "disabled": true, "args": ["${input:nobody}"]},
	    "off too": {"command": "x", "enabled": false},
	    "typo": {"type": "stdio", "command": "x", "arg": [], "gateway": {"prefx": "y"}}
	  }
	}`), variables())
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	byName := make(map[string]mcpjson.Server)
	for _, s := range f.Servers {
		kinds = append(kinds, s.Name+"="+string(s.Kind))
		byName[s.Name] = s
		if s.Digest == "" || strings.Contains(s.Digest, "s3cret") {
			t.Errorf("the digest of %s is %q", s.Name, s.Digest)
		}
	}
	if got := strings.Join(kinds, " "); got != "files=stdio issues=http live=ws old=sse typo=stdio" {
		t.Errorf("the servers are %s", got)
	}
	if s := byName["files"]; strings.Join(s.Args, " ") != "-y x /work /home/me/a else else" || s.Env["A"] != "s3cret" || s.Dir != "/srv" || *s.Rules.Asks {
		t.Errorf("files is %+v", s)
	}
	if s := byName["issues"]; s.Headers["Authorization"] != "Bearer s3cret" || time.Duration(s.Rules.Timeout) != 2*time.Minute || *s.Rules.Asks || s.Rules.Tokens["alice"] != "s3cret" {
		t.Errorf("issues is %+v", s)
	}
	if s := byName["old"]; !*s.Rules.Asks || s.Rules.OAuth.ClientSecret != "s3cret" {
		t.Errorf("old is %+v", s)
	}
	want := []string{`the server "typo": "arg" is ignored; did you mean "args"?`, `the server "typo": "prefx" is ignored; did you mean "prefix"?`}
	if strings.Join(f.Warnings, "\n") != strings.Join(want, "\n") {
		t.Errorf("the warnings are %q", f.Warnings)
	}
}

// VS Code has another name for the same.
func TestParse_VSCode(t *testing.T) {
	f, err := mcpjson.Parse([]byte(`{"servers":{"a":{"type":"http","url":"http://127.0.0.1:1/mcp"}}}`), variables())
	if err != nil || len(f.Servers) != 1 || f.Servers[0].Kind != mcpjson.HTTP {
		t.Errorf("the file has %+v, %v", f, err)
	}
}

func TestParse_Errors(t *testing.T) {
	for text, want := range map[string]string{
		``:                               "line 1, column 1",
		"{\n  // mine\n}":                "line 2, column 3: expected a string; comments are not allowed in JSON",
		`[]`:                             "not a JSON object",
		`{}`:                             `neither "mcpServers" nor "servers"`,
		`{"mcpServers":[]}`:              "not an object by name",
		`{"mcpServers":{},"servers":{}}`: "both there",
		`{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`:                                                                      `"a" is there twice`,
		`{"mcpServers":{"a":{"command":"x","env":{"A":"1"},"env":{}}}}`:                                                                 `"env" is there twice`,
		`{"mcpServers":{"a":{"command":"x","env":{"A":"1","A":"2"}}}}`:                                                                  `"env.A" is there twice`,
		`{"mcpServers":{"a":{"command":"x","arg\u017f":["y"]}}}`:                                                                        `must be written "args"`,
		`{"mcpServers":{"a":{"command":"x","Args":["y"],"args":[]}}}`:                                                                   `must be written "args"`,
		`{"mcpServers":{"a":{"command":"x","gateway":{"Allow":[]}}}}`:                                                                   `must be written "allow"`,
		`{"mcpServers":{"a\u001b[8m":{"command":"x"}}}`:                                                                                 "characters that cannot be shown",
		`{"mcpServers":{"a\u202eb":{"command":"x"}}}`:                                                                                   "characters that cannot be shown",
		`{"mcpServers":{"a":5}}`:                                                                                                        `the server "a"`,
		`{"mcpServers":{"a":{}}}`:                                                                                                       `needs a "command" or a "url"`,
		`{"mcpServers":{"a":{"type":"stdio","url":"x"}}}`:                                                                               `needs a "command"`,
		`{"mcpServers":{"a":{"type":"pipe","command":"x"}}}`:                                                                            `the type "pipe"`,
		`{"mcpServers":{"a":{"command":"x","url":"y"}}}`:                                                                                "both",
		`{"mcpServers":{"a":{"command":"${env:NONE}"}}}`:                                                                                "NONE is not set",
		`{"mcpServers":{"a":{"command":"x","args":["${input:t}"]}}}`:                                                                    "needs input of a user",
		`{"mcpServers":{"a":{"command":"${what is this}"}}}`:                                                                            "is not a variable",
		`{"mcpServers":{"a":{"command":"x","gateway":{"timeout":5}}}}`:                                                                  "a time is a string",
		`{"mcpServers":{"a":{"command":"x","gateway":{"timeout":"soon"}}}}`:                                                             "not a duration",
		`{"mcpServers":{"a":{"command":"x","gateway":{"tokens":{}}}}}`:                                                                  `servers with a "url"`,
		`{"mcpServers":{"a":{"url":"x","gateway":{"tokens":{},"oauth":{}}}}}`:                                                           "keep one",
		`{"mcpServers":{"a":{"url":"x","gateway":{"oauth":{"exchange":true}}}}}`:                                                        "needs the \"issuer\"",
		`{"mcpServers":{"a":{"url":"x","gateway":{"oauth":{"exchange":true,"issuer":"https://a","clientId":"b","sharedLogin":true}}}}}`: "no \"sharedLogin\"",
		`{"mcpServers":{"a":{"command":"${A}"},"b":{"headers":{"x":"${B}"}}}}`:                                                          `the server "b"`,
		`{"mcpServers":{` + strings.Repeat(`"a":{"command":"x"},`, 3) + `"b":null}}`:                                                    "twice",
	} {
		if _, err := mcpjson.Parse([]byte(text), variables()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
	var many strings.Builder
	for i := range 1001 {
		many.WriteString(`"` + strings.Repeat("n", i+1) + `":{"command":"x"},`)
	}
	if _, err := mcpjson.Parse([]byte(`{"mcpServers":{`+many.String()+`"b":{}}}`), variables()); err == nil || !strings.Contains(err.Error(), "more than 1000") {
		t.Errorf("too many servers: %.100v", err)
	}
}

// The digest of a server is that of everything about it, and of nothing else.
func TestServer_Digest(t *testing.T) {
	digest := func(text string) string {
		t.Helper()
		f, err := mcpjson.Parse([]byte(`{"mcpServers":`+text+`}`), variables())
		if err != nil {
			t.Fatal(err)
		}
		return f.Servers[0].Digest
	}
	same := digest(`{"a":{"command":"x","env":{"A":"1","B":"2"}}}`)
	if got := digest(`{ "a" : {"env":{"B":"2","A":"1"}, "command":"x", "description":"mine"}, "z":{"command":"y"}}`); got != same {
		t.Error("what means the same has another digest")
	}
	for _, other := range []string{
		`{"b":{"command":"x","env":{"A":"1","B":"2"}}}`, `{"a":{"command":"x","env":{"A":"1"}}}`,
		`{"a":{"command":"x","env":{"A":"1","B":"2"},"gateway":{"bare":true}}}`,
	} {
		if digest(other) == same {
			t.Errorf("%s has the same digest", other)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x"}}}`)
	f.Add(`{"servers":{"a":{"url":"${A:-x}","gateway":{"oauth":{}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := mcpjson.Parse([]byte(text), variables())
		if err == nil {
			for i, u := range (mcpjson.Connector{Workspace: os.DevNull}).Upstreams(file) {
				if u.Name != file.Servers[i].Name || u.Connect == nil {
					t.Errorf("the upstream of %+v is %+v", file.Servers[i], u)
				}
			}
		}
	})
}

func write(t testing.TB, path, text string) {
	t.Helper()
	temporary := filepath.Join(filepath.Dir(path), "new")
	if err := os.WriteFile(temporary, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temporary, path); err != nil {
		t.Fatal(err)
	}
}
