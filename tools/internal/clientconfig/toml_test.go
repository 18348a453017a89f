package clientconfig_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// codexConfig is a file as users have it.
const codexConfig = `# my settings
model = "gpt-5.2-codex" # the best
notify = [
  "notify-send", # a # and a "
  'Codex',
]

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs", "--key", "secret-key"]
env = { "API_KEY" = "secret-1" }

[mcp_servers."tool.old"]
command = '/opt/bin/tool'

[mcp_servers.other.env]
TOKEN = """
secret-2
"""

[projects."/home/me/work"]
trust_level = "trusted"
`

// tomlValues decodes a file.
func tomlValues(t interface{ Fatalf(string, ...any) }, content string) map[string]any {
	values := map[string]any{}
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(content, "\ufeff")), &values); err != nil {
		t.Fatalf("%v:\n%s", err, content)
	}
	return values
}

func TestPlan_TOML(t *testing.T) {
	const table = "[mcp_servers.tool]\ncommand = \"/opt/bin/tool\"\nargs = [\"-root\", \"/work/my project\"]\n"
	for _, tc := range []struct{ name, before, after string }{
		{"no file", "", table},
		{"other servers", codexConfig, codexConfig + "\n" + table},
		{"no line end", `model = "x"`, "model = \"x\"\n\n" + table},
		{"Windows", "model = \"x\"\r\n", "model = \"x\"\r\n\r\n" + strings.ReplaceAll(table, "\n", "\r\n")},
		{"a mark", "\ufeffmodel = \"x\"\n", "\ufeffmodel = \"x\"\n\n" + table},
		{"dotted keys", "mcp_servers.a.command = \"x\"\n", "mcp_servers.a.command = \"x\"\n\n" + table},
		{"an outer table", "[mcp_servers]\na = { command = \"x\" }\n", "[mcp_servers]\na = { command = \"x\" }\n\n" + table},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDesk(t)
			at := d.at("codex", "config.toml")
			if tc.before != "" {
				d.write("config.toml", tc.before)
			}
			change := d.install(at, "tool", server)
			if got := d.read("config.toml"); got != tc.after || change.Action != clientconfig.Add {
				t.Errorf("%d: got\n%s\nwant\n%s", change.Action, got, tc.after)
			}
			if _, shown := change.Preview(); strings.Contains(shown, "secret") || !strings.Contains(shown, `args = ["-root", "/work/my project"]`) {
				t.Errorf("it shows\n%s", shown)
			}
			if again := d.install(at, "tool", server); again.Action != clientconfig.Nothing {
				t.Errorf("again: %d", again.Action)
			}
			if tc.before == "" {
				d.undo(at, "tool")
				if d.exists("config.toml") {
					t.Error("the file is still there")
				}
				return
			}
			d.write("config.toml", d.read("config.toml")+"# later\n") // so that the entry alone is taken back
			d.undo(at, "tool")
			if got, want := strings.TrimSuffix(d.read("config.toml"), "# later\n"), tc.before; strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
				t.Errorf("after undoing\n%q, want\n%q", got, want)
			}
		})
	}
}

func TestPlan_TOMLOfExistingEntry(t *testing.T) {
	const head = "[mcp_servers.tool]\n"
	const command, args = "command = \"/opt/bin/tool\"\n", "args = [\"-root\", \"/work/my project\"]\n"
	for _, tc := range []struct {
		name, before, after string // of the entry; no after: it stays
		server              clientconfig.Server
		action              clientconfig.Action
	}{
		{"the same", head + "command = '/opt/bin/tool' # mine\nargs = [ '-root',\n  '/work/my project' ] # mine\nstartup_timeout_sec = 20\n", "", server, clientconfig.Nothing},
		{"another directory", head + "command = '/old/tool' # mine\n# note\nargs = [\n  '-x', # why\n] # mine\ntool_timeout_sec = 9\n", head + "command = \"/opt/bin/tool\" # mine\n# note\nargs = [\"-root\", \"/work/my project\"] # mine\ntool_timeout_sec = 9\n", server, clientconfig.Update},
		{"no arguments", head + command + "enabled = false\n", head + command + "enabled = false\n" + args, server, clientconfig.Update},
		{"a header alone and a table below", "[mcp_servers.tool] # mine\n[mcp_servers.tool.env]\nA = \"secret\"\n", "[mcp_servers.tool]\n" + command + args, server, clientconfig.Replace},
		{"another program", head + "command = \"npx\"\nargs = []\n\n[mcp_servers.tool.env]\nKEY = \"secret\"\n", head + command + args + "\n[mcp_servers.tool.env]\nKEY = \"secret\"\n", server, clientconfig.Replace},
		{"variables", head + command + args, head + command + args + "env_vars = [\"TOOL_A\", \"TOOL_B\"]\n", handing, clientconfig.Update},
		{"some variables", head + command + args + "env = { TOOL_A = \"mine\" }\nenv_vars = [\"X\"]\n", head + command + args + "env = { TOOL_A = \"mine\" }\nenv_vars = [\"X\", \"TOOL_B\"]\n", handing, clientconfig.Update},
		{"all variables", head + command + args + "env_vars = [\"TOOL_B\", \"TOOL_A\"]\n", "", handing, clientconfig.Nothing},
		{"a command becomes a URL", head + command + args, head + "url = \"http://127.0.0.1:3000/mcp\"\nhttp_headers = { Authorization = \"Bearer the-secret-token-of-the-user\" }\n", running, clientconfig.Replace},
		{"a new token", head + "url = \"http://127.0.0.1:3000/mcp\"\nhttp_headers = { X-A = \"b\", \"Authorization\" = \"Bearer old\" } # mine\n", head + "url = \"http://127.0.0.1:3000/mcp\"\nhttp_headers = { Authorization = \"Bearer the-secret-token-of-the-user\", X-A = \"b\" } # mine\n", running, clientconfig.Update},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDesk(t)
			const begin, end = "# begin\nmodel = \"m\"\n\n", "\n# end\n[mcp_servers.zz]\ncommand = \"zz\"\n"
			before, want := begin+tc.before+end, begin+tc.after+end
			if tc.after == "" {
				want = before
			}
			d.write("config.toml", before)
			at := d.at("codex", "config.toml")
			change := d.install(at, "tool", tc.server)
			if got := d.read("config.toml"); got != want || change.Action != tc.action {
				t.Errorf("action %d, want %d; got\n%s\nwant\n%s", change.Action, tc.action, got, want)
			}
			if a, b := change.Preview(); strings.Contains(a+b, "secret") || strings.Contains(a+b, "mine") {
				t.Errorf("it shows\n%s%s", a, b)
			}
			if again := d.install(at, "tool", tc.server); again.Action != clientconfig.Nothing {
				t.Errorf("again: %d", again.Action)
			}
			if tc.action == clientconfig.Nothing {
				return
			}
			d.write("config.toml", d.read("config.toml")+"\n")
			d.undo(at, "")
			if got := d.read("config.toml"); got != before+"\n" {
				t.Errorf("after undoing\n%s", got)
			}
		})
	}
}

func TestPlan_TOMLErrors(t *testing.T) {
	table := clientconfig.Server{URL: running.URL, Token: running.Token}
	for _, tc := range []struct {
		before, want string
		server       clientconfig.Server
	}{
		{"model = \"secret", "f:1:15: the file is not TOML", server},
		{"a = 1\nb = secret\n", "f:2:5: the file is not TOML", server},
		{"a = 1\na = 2\n", "defines a name twice", server},
		{"mcp_servers = { tool = { command = \"x\" } }\n", "not a table of its own", server},
		{"mcp_servers.tool.command = \"x\"\n", "not a table of its own", server},
		{"mcp_servers = { other = { command = \"x\" } }\n", "an inline table", server},
		{"[[mcp_servers]]\n", "an inline table or an array", server},
		{"[mcp_servers.tool]\ncommand = \"tool\"\nenv_vars = [1]\n", "not an array of strings", handing},
		{"[mcp_servers.tool]\nurl = \"http://127.0.0.1:3000/mcp\"\n[mcp_servers.tool.http_headers]\nX = \"secret\"\n", "not an inline table", table},
		{"[mcp_servers.tool]\nurl = \"http://127.0.0.1:3000/mcp\"\nhttp_headers = { X = 1 }\n", "not a string", table},
	} {
		d := newDesk(t)
		d.write("f", tc.before)
		_, err := d.in.Plan(d.at("codex", "f"), "tool", tc.server)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q", tc.before, err, tc.want)
		}
		if d.read("f") != tc.before {
			t.Errorf("%q: it was changed", tc.before)
		}
	}
}

func TestClient_Entries_TOML(t *testing.T) {
	entries, err := client(t, "codex").Entries([]byte(codexConfig + "\n[mcp_servers.far]\nurl = \"https://example.com/mcp\"\nenabled = false\n"))
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Name, " ", e.Command, " ", len(e.Args), " ", e.URL, " ", e.Disabled))
	}
	if want := "docs npx 4  false|tool.old /opt/bin/tool 0  false|other  0  false|far  0 https://example.com/mcp true"; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v, %v", got, err)
	}
}

func TestPlan_TOMLToken(t *testing.T) {
	for scope, want := range map[clientconfig.Scope]string{
		clientconfig.User:    "[mcp_servers.tool]\nurl = \"http://127.0.0.1:3000/mcp\"\nhttp_headers = { Authorization = \"Bearer the-secret-token-of-the-user\" }\n",
		clientconfig.Project: "[mcp_servers.tool]\nurl = \"http://127.0.0.1:3000/mcp\"\nbearer_token_env_var = \"DOUGU_TOKEN\"\n",
	} {
		d := newDesk(t)
		at := d.at("codex", "f")
		at.Scope = scope
		change := d.install(at, "tool", running)
		if _, shown := change.Preview(); strings.Contains(shown, "secret") || !strings.Contains(shown, "/mcp") || d.read("f") != want {
			t.Errorf("scope %d: it shows\n%s\nand has\n%s", scope, shown, d.read("f"))
		}
		if again := d.install(at, "tool", running); again.Action != clientconfig.Nothing {
			t.Errorf("scope %d: again: %d", scope, again.Action)
		}
	}
}

// tomlText is a random file, with servers or without.
func tomlText(t *rapid.T) string {
	pick := func(label string, all ...string) string { return rapid.SampledFrom(all).Draw(t, label) }
	value := func() string {
		return pick("value", `"x"`, `'a # "'`, `"\" [b] = #"`, "\"\"\"\n[t] # \"\" '''\n\"\"\"", "'''\n[mcp_servers.tool]\n''''", `[ "a", # x]`+"\n  'b' ]", `{ a = "x", b = { c = [1] } }`, "1979-05-27T07:32:00Z", "-1.5", "[[1], []]", "true")
	}
	lines := func(prefix string) string {
		var b strings.Builder
		for i := range rapid.IntRange(0, 3).Draw(t, "keys") {
			b.WriteString(pick("before", "", "# [x] = \"\n", "\n", "  ", "\t"))
			fmt.Fprintf(&b, "%s%s%s=%s%s%s\n", prefix, pick("key", "k", "'a.b#'", `"c\"]"`, "d . e", "f.'g'"), fmt.Sprint(i), pick("blank", "", " "), value(), pick("after", "", " # = \"", "  ", "\t# '"))
		}
		return strings.ReplaceAll(b.String(), "'0", "0'") // a number behind a quoted key
	}
	text := pick("mark", "", "\ufeff") + tomlLines(lines(""))
	for _, header := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"[a]", "[ a . 'b' ]", "[[list]]", "[mcp_servers.x]", "[mcp_servers.x.env]", `[mcp_servers."tool.2"]`, "[mcp_servers]"}), 0, 5, rapid.ID).Draw(t, "tables") {
		text += pick("gap", "", "\n", "# about\n", "\r\n") + header + pick("comment", "", " # [y]") + "\n" + tomlLines(lines(""))
	}
	return text + pick("end", "", "\n", "# end", "# end\n\n")
}

// tomlLines makes the keys of a text valid: a number behind a quoted key goes into a key of its own.
func tomlLines(text string) string {
	for i := range 3 {
		for _, quote := range []string{"'", `"`} {
			text = strings.ReplaceAll(text, fmt.Sprintf("%s%d=", quote, i), fmt.Sprintf("%s.n%d=", quote, i))
		}
	}
	return text
}

// TestInstaller_AnyTOML checks that an installation adds lines and changes no others, and that an
// undo restores the file.
func TestInstaller_AnyTOML(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := clientconfig.Location{Client: client(t, "codex"), Scope: clientconfig.User, File: filepath.Join(dir, "f")}
	in := &clientconfig.Installer{Program: "tool", StateDir: filepath.Join(dir, "state")}
	rapid.Check(t, func(rt *rapid.T) {
		before := tomlText(rt)
		want := map[string]any{}
		if toml.Unmarshal([]byte(strings.TrimPrefix(before, "\ufeff")), &want) != nil {
			rt.Skip("not valid")
		}
		if err := os.WriteFile(at.File, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		change, err := in.Plan(at, "tool", server)
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			rt.Fatalf("%q: %v", before, err)
		}
		after, err := os.ReadFile(at.File)
		if err != nil || !strings.HasPrefix(string(after), before) {
			rt.Fatalf("%q becomes %q, %v", before, after, err)
		}
		servers, _ := want["mcp_servers"].(map[string]any)
		if servers == nil {
			servers = map[string]any{}
		}
		servers["tool"] = map[string]any{"command": server.Command, "args": []any{server.Args[0], server.Args[1]}}
		want["mcp_servers"] = servers
		if got := tomlValues(rt, string(after)); !reflect.DeepEqual(got, want) {
			rt.Fatalf("got %v\nwant %v", got, want)
		}
		taken := clientconfig.Withdrawn(rt, after, at.Client, "tool", server, []byte(before))
		if strings.TrimSuffix(strings.TrimSuffix(string(taken), "\n"), "\r") != strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r") {
			rt.Fatalf("taken out: %q\nbefore     %q\nafter      %q", taken, before, after)
		}
		change, err = in.PlanUndo(at, "")
		if err == nil {
			err = change.Apply()
		}
		if restored, readErr := os.ReadFile(at.File); err != nil || readErr != nil || string(restored) != before {
			rt.Fatalf("after undoing %q: %v, %v", restored, err, readErr)
		}
	})
}

// FuzzInstaller_PlanTOML checks for arbitrary files that an installation fails, or that the result
// contains the server.
func FuzzInstaller_PlanTOML(f *testing.F) {
	for _, seed := range []string{"", codexConfig, "[mcp_servers.tool]\ncommand=1\n", "[mcp_servers.tool]\nurl=''\n[mcp_servers.tool.env]", "[[mcp_servers]]", "mcp_servers=1", "a=\"\"\"\"\"\"\"\"", "x='''\n''''' # y", "[mcp_servers.tool]\ncommand='tool'"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		c := client(t, "codex")
		for _, s := range []clientconfig.Server{server, handing, running} {
			clientconfig.Masked(content, c, "tool")
			after, err := clientconfig.Edited(content, c, "tool", s)
			if err != nil {
				continue
			}
			entries, err := c.Entries(after)
			found := 0
			for _, e := range entries {
				if e.Name == "tool" && (e.Same(s) && !e.Remote || s.URL != "" && e.URL == s.URL) {
					found++
				}
			}
			if err != nil || found != 1 {
				t.Fatalf("%q becomes %q: %v, %v", content, after, entries, err)
			}
			if again, err := clientconfig.Edited(after, c, "tool", s); err != nil || string(again) != string(after) {
				t.Fatalf("%q becomes %q when edited again, %v", after, again, err)
			}
			clientconfig.Withdrawn(t, after, c, "tool", s, content)
		}
	})
}
