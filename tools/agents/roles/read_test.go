package roles_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/tools/config"
)

func TestOpen_BuiltInRoles(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "log:\n  level: info\n", "roles:\n"} {
		path := writeSettings(t, text)
		if text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		b := openDocument(t, path)
		if len(b.Problems()) != 0 {
			t.Errorf("%q: %v", text, b.Problems())
		}
		var ids []string
		for _, r := range b.Roles() {
			ids = append(ids, r.ID)
			if r.Model != "claude-4-sonnet" || r.HealthCheckPrompt != "Hello, respond with exactly: OK" || len(r.Tools) != 0 || r.ReadOnly {
				t.Errorf("%+v", r)
			}
			if !strings.HasSuffix(r.SystemPrompt, "必ず kuromajutsu MCP の `report_result` ツールを呼び出して結果を報告してください。") {
				t.Errorf("%s: %q", r.ID, r.SystemPrompt)
			}
		}
		if got := strings.Join(ids, " "); got != "impl-code code-review text-review impl-test" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestOpen_AllFields(t *testing.T) {
	b := openDocument(t, writeSettings(t, `
common: &common
  model: gpt-5.5-high
  readOnly: true
roles:
  - <<: *common
    id: Audit_2
    name: 監査
    systemPrompt: |
      一行目
      二行目
    tools:
      - Shell(git)   # history
      - Read(**)
    executor: claude
    isolation: worktree
    timeout_ms: 600000
  - {id: small, model: auto, isolation: none}
`))
	if len(b.Problems()) != 0 {
		t.Errorf("%v", b.Problems())
	}
	want := roles.Role{
		ID: "Audit_2", Name: "監査", Model: "gpt-5.5-high", SystemPrompt: "一行目\n二行目", HealthCheckPrompt: "Hello, respond with exactly: OK",
		Tools: []string{"Shell(git)", "Read(**)"}, ReadOnly: true, Executor: "claude", Isolation: record.Worktree, Timeout: 10 * time.Minute,
	}
	if got := role(t, b, "Audit_2"); !got.Equal(want) || got.SystemPrompt != want.SystemPrompt {
		t.Errorf("got %+v", got)
	}
	if got := role(t, b, "small"); got.Name != "small" || got.Isolation != "" || got.Model != "auto" {
		t.Errorf("got %+v", got)
	}
}

func TestOpen_Problems(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ids        string
		problems   []string
	}{
		{"an unknown member", "roles:\n  - id: a\n    model: m\n    systemprompt: x\n", "a", []string{`:4:5: roles[0]: a role has no "systemprompt"; did you mean "systemPrompt"?; it is not used`}},
		{"values that are not allowed", "roles:\n  - id: a b\n    model: 5\n    readOnly: ture\n  - id: b\n    model: m\n", "b", []string{
			`:2:9: roles[0].id: received "a b": allowed is 1 to 64 letters`, `:3:12: roles[0].model: received 5: allowed is`, `:4:15: roles[0].readOnly: received "ture": allowed is true or false; the role is left out`,
		}},
		{"a model that would be an option", "roles:\n  - id: a\n    model: --force\n", "", []string{"roles[0].model"}},
		{"an isolation", "roles:\n  - id: a\n    model: m\n    isolation: docker\n", "", []string{"allowed is none or worktree"}},
		{"a time", "roles:\n  - {id: a, model: m, timeout_ms: 0}\n  - {id: b, model: m, timeout_ms: 1.5}\n", "", []string{"roles[0].timeout_ms", "roles[1].timeout_ms"}},
		{"tools", "roles:\n  - {id: a, model: m, tools: x}\n  - {id: b, model: m, tools: [1]}\n", "", []string{"roles[0].tools", "roles[1].tools"}},
		{"what is missing", "roles:\n  - name: x\n", "", []string{"roles[0]: id is missing; allowed is", "roles[0]: model is missing"}},
		{"what is empty", "roles:\n  - id: a\n    model:\n", "", []string{"roles[0].model: received null"}},
		{"two of a name", "roles:\n  - {id: a, model: m}\n  - {id: a, model: n}\n", "a", []string{`:3:5: roles[1].id: received "a": another role above has this id`}},
		{"a member twice", "roles:\n  - {id: a, model: m, model: n}\n", "", []string{"roles[0].model: it occurs more than once"}},
		{"no mapping", "roles:\n  - a\n", "", []string{`roles[0]: received "a": allowed is a mapping`}},
		{"no list", "roles: a\n", "impl-code code-review text-review impl-test", []string{`:1:8: roles: received "a": allowed is a list of roles; the built-in roles are used`}},
		{"no roles", "roles: []\n", "", nil},
		{"no YAML", "roles:\n  - id: [\n", "impl-code code-review text-review impl-test", []string{":2:1: "}},
		{"no mapping at all", "- a\n", "impl-code code-review text-review impl-test", []string{"allowed is a mapping"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeSettings(t, c.text)
			b := openDocument(t, path)
			var ids []string
			for _, r := range b.Roles() {
				ids = append(ids, r.ID)
			}
			if got := strings.Join(ids, " "); got != c.ids {
				t.Errorf("roles are %q, want %q", got, c.ids)
			}
			problems := b.Problems()
			if len(problems) != len(c.problems) {
				t.Fatalf("%d problems: %v", len(problems), problems)
			}
			for i, want := range c.problems {
				if got := problems[i].Error(); !strings.HasPrefix(got, path+":") || !strings.Contains(got, want) {
					t.Errorf("got %s\nwant %s", got, want)
				}
			}
		})
	}
}

func TestOpen_HugeFile(t *testing.T) {
	b := openDocument(t, writeSettings(t, "roles:\n"+strings.Repeat("  - {idd: x}\n", 50_000)))
	if n := len(b.Problems()); n == 0 || n > 100 {
		t.Errorf("%d problems", n)
	}
	var many strings.Builder
	for i := range 300 {
		many.WriteString("  - {id: r" + strings.Repeat("x", i%60) + string(rune('a'+i/60)) + ", model: m}\n")
	}
	if n := len(openDocument(t, writeSettings(t, "roles:\n"+many.String())).Roles()); n != 200 {
		t.Errorf("%d roles", n)
	}
	if b := openDocument(t, writeSettings(t, strings.Repeat("#", 2<<20))); len(b.Problems()) != 1 || len(b.Roles()) != 4 {
		t.Errorf("%v", b.Problems())
	}
}

func TestOpen_InvalidPath(t *testing.T) {
	for _, path := range []string{"", t.TempDir()} {
		if b, err := roles.Open(path); err == nil {
			t.Errorf("%q was opened: %v", path, b.Roles())
		}
	}
	path := filepath.Join(t.TempDir(), "none", "x.yaml")
	if b := openDocument(t, path); len(b.Roles()) != 4 || b.Path() != path {
		t.Errorf("%v, %s", b.Roles(), b.Path())
	}
}

func TestRole_JSON(t *testing.T) {
	r := roles.Role{ID: "a", Name: "A", Model: "m", SystemPrompt: "p", HealthCheckPrompt: "h", Timeout: 1500 * time.Millisecond, Isolation: record.Worktree}
	encoded, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"a","name":"A","model":"m","systemPrompt":"p","healthCheckPrompt":"h","tools":[],"isolation":"worktree","timeout_ms":1500}`
	if string(encoded) != want {
		t.Errorf("got  %s\nwant %s", encoded, want)
	}
	var back roles.Role
	if err := json.Unmarshal(encoded, &back); err != nil || !back.Equal(r) {
		t.Errorf("got %+v, %v", back, err)
	}
}

// The template contains the settings of all parts of the program.
func TestDecodeSettings_Template(t *testing.T) {
	n, err := roles.DecodeSettings(roles.Template())
	if err != nil || n.JSON() != `{"dashboard": {"port": 9696}, "agent": {"defaultTimeout_ms": 300000, "maxConcurrent": 10}, "log": {"level": "info"}}` {
		t.Errorf("got %s, %v", n.JSON(), err)
	}
	if _, err := roles.DecodeSettings([]byte("a: [")); err == nil {
		t.Error("no error")
	}
	var _ config.Decode = roles.DecodeSettings
}
