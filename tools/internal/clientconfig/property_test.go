package clientconfig_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// extra returns white space and comments between two tokens.
func extra(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"", " ", "  ", "\t", "\n", "\r\n", "\n    ", "// a \"comment\" {\n", "//\r\n", "/* more\n */", "/**/",
	}), 0, 3).Draw(t, "extra"), "")
}

func word(t *rapid.T) string {
	return rapid.SampledFrom([]string{`"a"`, `"b"`, `"c\\"`, `"\"{"`, `"日本"`, `"//"`, `"d"`, `"e"`}).Draw(t, "word")
}

// object is one with different names; first is its first member, if not empty.
func object(t *rapid.T, depth int, first string) string {
	var b strings.Builder
	b.WriteString("{")
	n := rapid.IntRange(0, 3).Draw(t, "members")
	seen := map[string]bool{}
	members := []string{}
	if first != "" {
		members = append(members, first)
	}
	for range n {
		name := word(t)
		if !seen[name] {
			seen[name] = true
			members = append(members, name+extra(t)+":"+extra(t)+anyValue(t, depth-1))
		}
	}
	for i, m := range members {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(extra(t) + m + extra(t))
	}
	if len(members) > 0 && rapid.IntRange(0, 3).Draw(t, "trailing") == 0 {
		b.WriteString(",")
	}
	b.WriteString(extra(t) + "}")
	return b.String()
}

func anyValue(t *rapid.T, depth int) string {
	kinds := 5
	if depth <= 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return word(t)
	case 1:
		return rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null", "[]", "{}"}).Draw(t, "literal")
	case 2:
		return "[" + extra(t) + word(t) + extra(t) + "," + extra(t) + "1" + extra(t) + "]"
	}
	return object(t, depth, "")
}

// file is a random configuration, with servers or without.
func file(t *rapid.T, key string) string {
	servers := ""
	if rapid.Bool().Draw(t, "servers") {
		servers = `"` + key + `"` + extra(t) + ":" + extra(t) + object(t, 3, "")
	}
	mark := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark")
	return mark + extra(t) + object(t, 3, servers) + extra(t) + rapid.SampledFrom([]string{"", "\n", "// end"}).Draw(t, "end")
}

func TestInstaller_AnyFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := &clientconfig.Installer{Program: "tool", StateDir: filepath.Join(dir, "state")}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"cursor", "opencode", "qwen", "zed", "vscode"}).Draw(rt, "client")
		key := cmp.Or(map[string]string{"opencode": "mcp", "zed": "context_servers", "vscode": "servers"}[name], "mcpServers")
		at := clientconfig.Location{Client: client(t, name), Scope: clientconfig.User, File: filepath.Join(dir, "f")}
		before := file(rt, key)
		server := rapid.SampledFrom([]clientconfig.Server{server, handing}).Draw(rt, "server")
		if err := os.WriteFile(at.File, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		after := checkProperties(rt, in, at, key, before, server)
		// An undo of an unchanged file restores the same bytes.
		change, err := in.PlanUndo(at, "")
		if err == nil {
			err = change.Apply()
		}
		if restored, readErr := os.ReadFile(at.File); err != nil || readErr != nil || string(restored) != before {
			rt.Fatalf("after undoing %q: %v, %v", restored, err, readErr)
		}
		// Taken out again by itself: the same bytes too, where there were other
		// servers, and the same values where there were none.
		taken := clientconfig.Withdrawn(rt, []byte(after), at.Client, "tool", server, []byte(before))
		if servers, _ := values(t, []byte(before))[key].(map[string]any); len(servers) > 0 && string(taken) != before {
			rt.Fatalf("taken out: %q\nbefore     %q\nafter      %q", taken, before, after)
		}
		if got, want := values(t, taken), values(t, []byte(before)); !reflect.DeepEqual(got, want) {
			rt.Fatalf("taken out: %v, want %v", got, want)
		}
	})
}

// checkProperties installs, and checks that nothing else has changed.
func checkProperties(rt *rapid.T, in *clientconfig.Installer, at clientconfig.Location, key, before string, server clientconfig.Server) (after string) {
	change, err := in.Plan(at, "tool", server)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		rt.Fatalf("%v", err)
	}
	content, err := os.ReadFile(at.File)
	if err != nil {
		rt.Fatal(err)
	}
	if err := onlyAdded(before, string(content)); err != nil {
		rt.Fatalf("%v\nbefore %q\nafter  %q", err, before, content)
	}
	want := values(rt, []byte(before))
	servers, _ := want[key].(map[string]any)
	servers = maps.Clone(servers)
	if servers == nil {
		servers = map[string]any{}
	}
	servers["tool"] = entryOf(at.Client.Name, server)
	want[key] = servers
	if got := values(rt, content); !reflect.DeepEqual(got, want) {
		rt.Fatalf("got %v\nwant %v", got, want)
	}
	shownBefore, shownAfter := change.Preview()
	if err := onlyAdded(shownBefore, shownAfter); err != nil {
		rt.Fatalf("shown: %v\nbefore %q\nafter  %q", err, shownBefore, shownAfter)
	}
	return string(content)
}

// entryOf returns the entry that a client should have for a server with two arguments.
func entryOf(client string, s clientconfig.Server) map[string]any {
	if client == "opencode" {
		entry := map[string]any{"type": "local", "command": []any{s.Command, s.Args[0], s.Args[1]}, "enabled": true}
		if len(s.Env) > 0 {
			entry["environment"] = map[string]any{"TOOL_A": "{env:TOOL_A}", "TOOL_B": "{env:TOOL_B}"}
		}
		return entry
	}
	entry := map[string]any{"command": s.Command, "args": []any{s.Args[0], s.Args[1]}}
	if client == "vscode" {
		entry["type"] = "stdio"
	}
	if len(s.Env) > 0 && client != "qwen" && client != "zed" {
		entry["env"] = map[string]any{"TOOL_A": "${env:TOOL_A}", "TOOL_B": "${env:TOOL_B}"}
	}
	return entry
}

// FuzzInstaller_Plan checks for arbitrary files that an install fails, or that the result is JSON with
// comments and contains the server.
func FuzzInstaller_Plan(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{\"mcpServers\":{}}", "{\"mcpServers\":{\"tool\":{\"command\":\"x\",\"args\":[1]}}}", "// x\n{ \"mcpServers\" : { \"a\": 1, }, } // y",
		"\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"tool\": {\"url\": \"x\"}\r\n\t}\r\n}", "{\"mcpServers\":{\"tool\":{\"args\":[\n]}}}", "[[[", "{\"a\":\"\xff\"}", "/*", "{\"mcpServers\":{\"tool\":{\"type\":\"stdio\"}}}",
		"{\"mcpServers\":{\"tool\":{\"command\":\"tool\",\"env\":{\"TOOL_A\":1,/**/}}}}", "{\"mcpServers\":{\"tool\":{\"command\":\"tool\",\"env\":{ // x\n}}}}", "{\"mcpServers\":{\"tool\":{\"command\":\"tool\",\"env\":[]}}}",
		"{\"mcp\":{\"tool\":{\"type\":\"local\",\"command\":[\"tool\", 1],\"enabled\":false}}}", "{\"mcp\":{\"tool\":{\"command\":[]}}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, s := range []clientconfig.Server{server, handing, running} {
			for _, name := range []string{"cursor", "opencode"} {
				checkEdited(t, client(t, name), content, s)
			}
		}
	})
}

func checkEdited(t *testing.T, c clientconfig.Client, content []byte, s clientconfig.Server) {
	t.Helper()
	after, err := clientconfig.Edited(content, c, "tool", s)
	clientconfig.Masked(content, c, "tool")
	if err != nil {
		return
	}
	entries, err := c.Entries(after)
	if err != nil {
		t.Fatalf("%q becomes %q: %v", content, after, err)
	}
	found := 0
	for _, e := range entries {
		if e.Name == "tool" && (e.Same(s) && !e.Remote || s.URL != "" && e.URL == s.URL) {
			found++
		}
	}
	if found != 1 {
		t.Fatalf("%q becomes %q, with %s", content, after, fmt.Sprint(entries))
	}
	if again, err := clientconfig.Edited(after, c, "tool", s); err != nil || string(again) != string(after) {
		t.Fatalf("%q becomes %q when edited again, %v", after, again, err)
	}
	if json.Valid(content) && !json.Valid(after) {
		t.Fatalf("%q becomes %q, which is not JSON any more", content, after)
	}
	clientconfig.Withdrawn(t, after, c, "tool", s, content)
}
