package kuromajutsu

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
)

// The sample of the specification equals the default settings.
func TestSettings_SampleIsDefault(t *testing.T) {
	without, err := settings(t, t.TempDir(), nil)
	apptest.Must(t, err)
	_, err = os.Stat(filepath.Join("testdata", agentservice.DefaultFile))
	apptest.Must(t, err)
	with, err := settings(t, "testdata", nil)
	apptest.Must(t, err)
	if c := with.Config; !reflect.DeepEqual(c, without.Config) || c.Dashboard.Port != 9696 || c.Agent.Timeout != 300_000 || c.Agent.MaxConcurrent != 10 || c.LogLevel != "info" {
		t.Errorf("the sample is %+v,\nthe defaults are %+v", c, without.Config)
	}
	builtin, err := roles.Open(filepath.Join(t.TempDir(), agentservice.DefaultFile))
	apptest.Must(t, err)
	book, err := roles.Open(filepath.Join("testdata", agentservice.DefaultFile))
	apptest.Must(t, err)
	if problems := book.Problems(); len(problems) > 0 {
		t.Errorf("the sample has the problems %v", problems)
	}
	for i, r := range builtin.Roles() {
		if of := book.Roles(); i >= len(of) || !r.Equal(of[i]) {
			t.Errorf("role %d is %+v in the sample, and %+v without it", i, of, r)
		}
	}
	if n := len(book.Roles()); n != 4 {
		t.Errorf("the sample has %d roles", n)
	}
}

// everything is a configuration in which nothing is as usual, in the three ways in which it can be said.
var everything = struct {
	file    string
	environ []string
	flags   []string
}{
	file: `dashboard:
  enabled: false
  host: 0.0.0.0
  port: 1234
  hosts: [agents.example, other.example]
  language: en
agent:
  defaultTimeout_ms: 2000
  maxConcurrent: 3
  maxQueued: 4
  maxPerHour: 5
  maxDepth: 2
  stagger_ms: 5
  patience_ms: 600
  executor: claude
  cursorProgram: /opt/cursor
  claudeProgram: /opt/claude
  codexProgram: /opt/codex
  codexSandbox: danger-full-access
  geminiProgram: /opt/gemini
  acpProgram: /opt/acp
  acpArgs: [--acp, "--model=a b"]
  acpLogin: key
  models: [gemini=gemini-9, acp=x]
  promptVia: arg
  sandbox: enabled
  approveMCPs: false
  fallbackToAuto: true
  onFailedDependency: run
  prices: ["auto=1/2", "other=1/2/3/4"]
history:
  path: kept.db
  days: 7
  most: 8
notify:
  targets: [desktop]
  on: [failed, stalled]
apps:
  enabled: true
log:
  level: debug
`,
	environ: []string{
		"KUROMAJUTSU_DASHBOARD_ENABLED=false", "KUROMAJUTSU_DASHBOARD_HOST=0.0.0.0", "KUROMAJUTSU_PORT=1234", "KUROMAJUTSU_DASHBOARD_HOSTS=agents.example,other.example", "KUROMAJUTSU_DASHBOARD_LANGUAGE=en",
		"KUROMAJUTSU_AGENT_DEFAULT_TIMEOUT_MS=2000", "KUROMAJUTSU_AGENT_MAX_CONCURRENT=3", "KUROMAJUTSU_AGENT_MAX_QUEUED=4", "KUROMAJUTSU_AGENT_MAX_PER_HOUR=5", "KUROMAJUTSU_AGENT_MAX_DEPTH=2", "KUROMAJUTSU_AGENT_STAGGER_MS=5",
		"KUROMAJUTSU_AGENT_PATIENCE_MS=600", "KUROMAJUTSU_AGENT_EXECUTOR=claude", "KUROMAJUTSU_AGENT_CURSOR_PROGRAM=/opt/cursor", "KUROMAJUTSU_AGENT_CLAUDE_PROGRAM=/opt/claude",
		"KUROMAJUTSU_AGENT_CODEX_PROGRAM=/opt/codex", "KUROMAJUTSU_AGENT_CODEX_SANDBOX=danger-full-access", "KUROMAJUTSU_AGENT_GEMINI_PROGRAM=/opt/gemini", "KUROMAJUTSU_AGENT_ACP_PROGRAM=/opt/acp", "KUROMAJUTSU_AGENT_ACP_ARGS=--acp,--model=a b", "KUROMAJUTSU_AGENT_ACP_LOGIN=key", "KUROMAJUTSU_AGENT_MODELS=gemini=gemini-9,acp=x",
		"KUROMAJUTSU_AGENT_PROMPT_VIA=arg", "KUROMAJUTSU_AGENT_SANDBOX=enabled", "KUROMAJUTSU_AGENT_APPROVE_MCPS=false",
		"KUROMAJUTSU_AGENT_FALLBACK_TO_AUTO=true", "KUROMAJUTSU_AGENT_ON_FAILED_DEPENDENCY=run", "KUROMAJUTSU_AGENT_PRICES=auto=1/2,other=1/2/3/4",
		"KUROMAJUTSU_HISTORY_PATH=kept.db", "KUROMAJUTSU_HISTORY_DAYS=7", "KUROMAJUTSU_HISTORY_MOST=8", "KUROMAJUTSU_NOTIFY_TARGETS=desktop", "KUROMAJUTSU_NOTIFY_ON=failed,stalled", "KUROMAJUTSU_APPS_ENABLED=true", "KUROMAJUTSU_LOG_LEVEL=debug",
	},
	flags: []string{
		"-dashboard-enabled=false", "-host", "0.0.0.0", "-port", "1234", "-dashboard-hosts", "agents.example,other.example", "-dashboard-language", "en",
		"-timeout", "2000", "-agent-max-concurrent", "3", "-agent-max-queued", "4", "-agent-max-per-hour", "5", "-agent-max-depth", "2", "-agent-stagger_ms", "5",
		"-agent-patience_ms", "600", "-agent-executor", "claude", "-agent-cursor-program", "/opt/cursor", "-agent-claude-program", "/opt/claude",
		"-agent-codex-program", "/opt/codex", "-agent-codex-sandbox", "danger-full-access", "-agent-gemini-program", "/opt/gemini", "-agent-acp-program", "/opt/acp", "-agent-acp-args=--acp", "-agent-acp-args", "--model=a b", "-agent-acp-login", "key", "-agent-models", "gemini=gemini-9", "-agent-models", "acp=x",
		"-agent-prompt-via", "arg", "-agent-sandbox", "enabled", "-agent-approve-mcps=false",
		"-agent-fallback-to-auto", "-agent-on-failed-dependency", "run", "-agent-prices", "auto=1/2", "-agent-prices", "other=1/2/3/4",
		"-history-path", "kept.db", "-history-days", "7", "-history-most", "8", "-notify-targets", "desktop", "-notify-on", "failed", "-notify-on", "stalled", "-apps", "-log-level", "debug",
	},
}

// Every setting can be made in the file, in the environment and on the command line.
func TestEverySetting(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{agentservice.DefaultFile: everything.file})
	file, err := settings(t, dir, nil, "-config", filepath.Join(dir, agentservice.DefaultFile))
	apptest.Must(t, err)
	want := file.Config
	differsEverywhere(t, "", reflect.ValueOf(want), reflect.ValueOf(agentservice.Defaults()))
	for name, source := range map[string]struct{ environ, flags []string }{"environment": {environ: everything.environ}, "flags": {flags: everything.flags}} {
		got, err := settings(t, t.TempDir(), source.environ, source.flags...)
		if err != nil || !reflect.DeepEqual(got.Config, want) {
			t.Errorf("by the %s: %v\n%+v,\nby the file\n%+v", name, err, got.Config, want)
		}
	}
}

// differsEverywhere checks that no field of a structure is as in another.
func differsEverywhere(t *testing.T, name string, a, b reflect.Value) {
	t.Helper()
	if a.Kind() != reflect.Struct {
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			t.Errorf("the test does not set %s", name)
		}
		return
	}
	for i := range a.NumField() {
		differsEverywhere(t, strings.TrimPrefix(name+"."+a.Type().Field(i).Name, "."), a.Field(i), b.Field(i))
	}
}

// The environment comes before the file, flags before both.
func TestSettings_Precedence(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	apptest.Write(t, dir, map[string]string{agentservice.DefaultFile: "dashboard: {port: 1}\nlog: {level: warn}\n"})
	apptest.Write(t, elsewhere, map[string]string{"other.yaml": "dashboard: {port: 2}\n"})
	other := filepath.Join(elsewhere, "other.yaml")
	for _, tc := range []struct {
		environ, flags []string
		port           int
		level          string
	}{
		{nil, nil, 1, "warn"},
		{[]string{"KUROMAJUTSU_PORT=3", "KUROMAJUTSU_LOG_LEVEL=error"}, nil, 3, "error"},
		{[]string{"KUROMAJUTSU_PORT="}, nil, 1, "warn"},
		{[]string{"KUROMAJUTSU_DASHBOARD_PORT=4"}, nil, 4, "warn"},
		{[]string{"KUROMAJUTSU_PORT=3"}, []string{"-port", "5", "-log-level", "debug"}, 5, "debug"},
		{[]string{"KUROMAJUTSU_CONFIG=" + other}, nil, 2, "info"},
		{[]string{"KUROMAJUTSU_CONFIG=" + other, "KUROMAJUTSU_PORT=3"}, nil, 3, "info"},
		{[]string{"KUROMAJUTSU_CONFIG=" + filepath.Join(elsewhere, "none.yaml")}, []string{"-config", other}, 2, "info"},
		{[]string{"CURSOR_API_KEY=key", "KUROMAJUTSU_TOKEN=t"}, nil, 1, "warn"},
	} {
		got, err := settings(t, dir, tc.environ, tc.flags...)
		if err != nil || got.Config.Dashboard.Port != tc.port || got.Config.LogLevel != tc.level {
			t.Errorf("%q %q: %v, port %d, level %s; want %d, %s", tc.environ, tc.flags, err, got.Config.Dashboard.Port, got.Config.LogLevel, tc.port, tc.level)
		}
	}
}

// A wrong setting ends the program with an error that names the setting and its location.
func TestSettings_Errors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "settings.yaml")
	for _, tc := range []struct{ file, says string }{
		{"dashboard:\n  port: many\n", file + ":2:9: dashboard.port: received \"many\": allowed is a whole number from 0 to 65535"},
		{"dashboard:\n  port: 70000\n", file + ":2:9: dashboard.port"},
		{"agent:\n  maxConcurent: 3\n", file + ":2:3: agent.maxConcurent: there is no such setting; did you mean \"agent.maxConcurrent\"?"},
		{"agents: {}\n", "did you mean \"agent\"?"},
		{"log:\n  level: loud\n", "allowed is one of debug, info, warn, error"},
		{"agent:\n  prices: [cheap]\n", "\"cheap\" is not MODEL=INPUT/OUTPUT"},
		{"agent:\n  models: [gpt-7]\n", "\"gpt-7\" is not EXECUTOR=MODEL"},
		{"agent:\n  models: [cursor=x]\n", "with one of claude, codex, gemini, acp"},
		{"notify:\n  targets: [pigeon]\n", "notify.targets"},
		{"agent: 5\n", "allowed is an object"},
		{"agent: {maxConcurrent: 1}\nagent: {maxConcurrent: 2}\n", file + ":"},
		{"dashboard: [\n", file + ":1:"},
		{"\xff\xfe", "UTF-16"},
	} {
		apptest.Must(t, os.WriteFile(file, []byte(tc.file), 0o600))
		in().MustFail(t, 1, tc.says, "tools", "-root", dir, "-config", file)
	}
	in().MustFail(t, 1, "cannot be read", "tools", "-root", dir, "-config", dir)
	for says, variable := range map[string]string{
		"environment variable KUROMAJUTSU_PORT: dashboard.port": "KUROMAJUTSU_PORT=x",
		"did you mean KUROMAJUTSU_LOG_LEVEL?":                   "KUROMAJUTSU_LOG_LEVELS=info",
		"KUROMAJUTSU_AGENT_MAX_CONCURRENT":                      "KUROMAJUTSU_AGENT_MAX_CONCURRENT=0",
	} {
		in(variable).MustFail(t, 1, says, "tools", "-root", dir)
	}
	for _, tc := range []struct {
		code int
		says string
		args []string
	}{
		{2, "-nope", []string{"tools", "-nope"}},
		{2, "takes no arguments", []string{"demo", "now"}},
		{1, "Name a directory that exists", []string{"tools", "-root", filepath.Join(dir, "none")}},
		{1, "flag -port", []string{"tools", "-root", dir, "-port", "-1"}},
		{1, "cursor, claude, codex, gemini, acp", []string{"tools", "-root", dir, "-agent-executor", "vim"}},
		{1, "dashboard.enabled is false", []string{"dashboard", "-root", dir, "-dashboard-enabled=false"}},
	} {
		in().MustFail(t, tc.code, tc.says, tc.args...)
	}
}

// A role that is wrong is left out, and the others are there.
func TestSettings_Roles(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{agentservice.DefaultFile: `roles:
  - id: docs
    name: Writer
    model: auto
    systemPrompt: You write.
    readOnly: true
  - id: Bad Name
    model: auto
    systemPrompt: x
  - id: typo
    modl: auto
    systemPrompt: x
`})
	code, out, errs := in().Run(t, "call", "-root", dir, "-agent-cursor-program", fakeCursor(t), "list_roles")
	if code != 0 || !strings.Contains(out, "docs (Writer), model auto: ") || strings.Contains(out, "typo") || strings.Contains(out, "impl-code") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	apptest.Contains(t, errs, ":7:9: roles[1].id", `did you mean \"model\"?`)
	_, out, _ = withState(t).Run(t, "doctor", "-root", dir)
	apptest.Contains(t, out, "roles: ", ":7:9", "Correct them in ")
}
