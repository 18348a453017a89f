package searchservice_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
	"github.com/dougu-go/dougu/tools/config"
)

// place is the directory of a project and the home directory of a user.
type place struct{ project, home string }

func newPlace(t testing.TB, project, user string) place {
	t.Helper()
	p := place{t.TempDir(), t.TempDir()}
	if project != "" {
		apptest.Write(t, p.project, map[string]string{searchservice.DefaultFile: project})
	}
	if user != "" {
		apptest.Write(t, p.home, map[string]string{".config/cqm/config.yaml": user})
	}
	return p
}

// load reads the settings of a place with additional variables and flags.
func (p place) load(t testing.TB, environ []string, args ...string) (*searchservice.Loaded, error) {
	t.Helper()
	environ = append([]string{"HOME=" + p.home, "XDG_CONFIG_HOME=" + filepath.Join(p.home, ".config")}, environ...)
	o := searchservice.NewOptions("1", func() []string { return environ })
	o.Directory = p.project
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.Flags(flags)
	apptest.Must(t, flags.Parse(args))
	return o.Load()
}

var gitHub = []string{"GITHUB_TOKEN=ghp_0123456789abcdef", "GITHUB_OWNER=owner", "GITHUB_REPO=repo"}

// The sample of the specification equals the defaults, except for the directories: by default the
// entire project is indexed.
func TestLoad_SpecificationSample(t *testing.T) {
	sample, err := os.ReadFile("testdata/cqm-mcp.yaml")
	apptest.Must(t, err)
	with, err := newPlace(t, string(sample), "").load(t, gitHub)
	apptest.Must(t, err)
	without, err := newPlace(t, "", "").load(t, gitHub)
	apptest.Must(t, err)
	if got := with.Config.Plugins.Config.Filesystem.WatchPaths; !slices.Equal(got, []string{"./src", "./docs"}) {
		t.Errorf("the sample indexes %q", got)
	}
	with.Config.Plugins.Config.Filesystem.WatchPaths = []string{"."}
	if !reflect.DeepEqual(with.Config, without.Config) {
		t.Errorf("the sample is %+v,\nthe defaults are %+v", with.Config, without.Config)
	}
	if c := with.Config; c.Plugins.Config.GitHub.Token != "ghp_0123456789abcdef" || c.Plugins.Config.GitHub.Owner != "owner" || len(with.Warnings) > 0 {
		t.Errorf("GitHub is %+v, warnings %q", c.Plugins.Config.GitHub, with.Warnings)
	}
}

// A plugin with an unset variable is disabled with advice; -strict makes it an error.
func TestLoad_UnsetVariable(t *testing.T) {
	sample, err := os.ReadFile("testdata/cqm-mcp.yaml")
	apptest.Must(t, err)
	p := newPlace(t, string(sample), "")
	for _, environ := range [][]string{nil, {"GITHUB_TOKEN="}, {"GITHUB_TOKEN=${env:GITHUB_TOKEN}"}} {
		l, err := p.load(t, environ)
		apptest.Must(t, err)
		if !slices.Equal(l.Config.Plugins.Enabled, []string{"filesystem"}) || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "GITHUB_TOKEN") {
			t.Errorf("%q: enabled are %q, warnings %q", environ, l.Config.Plugins.Enabled, l.Warnings)
		}
		if _, err := p.load(t, environ, "-strict"); err == nil || !strings.Contains(err.Error(), "GITHUB_TOKEN") {
			t.Errorf("strict: %v", err)
		}
	}
	if l, err := p.load(t, nil, "-plugins-enabled", "filesystem", "-strict"); err != nil || len(l.Warnings) > 0 {
		t.Errorf("a plugin that is not enabled lacks nothing: %v, %q", err, l.Warnings)
	}
	_, err = newPlace(t, "", "server:\n  name: \"${CQM_NAME_OF_ALL}\"\nplugins:\n  config:\n    github:\n      token: \"$${GITHUB_TOKEN}\"\n").load(t, nil)
	if err == nil || !strings.Contains(err.Error(), "config.yaml:2:9: server.name: the variable CQM_NAME_OF_ALL is not set") {
		t.Errorf("a variable of the server: %v", err)
	}
}

func TestLoad_Expansion(t *testing.T) {
	for text, want := range map[string]string{
		"${A}": "a", "x-${A}-${B_1}": "x-a-b", "$A": "$A", "$${A}": "${A}", "${A": "${A", "${A B}": "${A B}", "${}": "${}", "${1}": "${1}", "${N}": "b${A}", "a${A}}": "aa}",
	} {
		l, err := newPlace(t, "", "server:\n  name: '"+text+"'\n").load(t, []string{"A=a", "B_1=b", "N=b${A}"})
		if err != nil || l.Config.Server.Name != want {
			t.Errorf("%s is %q, %v; want %q", text, l.Config.Server.Name, err, want)
		}
	}
}

// A project file can set the search. It cannot set access to the server, or the destination of
// texts and secrets.
func TestLoad_ProjectFileRights(t *testing.T) {
	for key, file := range map[string]string{
		"server.host":                         "server: {host: 0.0.0.0}",
		"transport.hosts":                     "transport: {hosts: [evil.example]}",
		"security.authentication.enabled":     "security: {authentication: {enabled: false}}",
		"security.authentication.tokenSecret": "security: {authentication: {tokenSecret: known-to-the-attacker}}",
		"security.allowedClients":             "security: {allowedClients: [evil]}",
		"security.permissions":                "security: {permissions: [everything]}",
		"security.rateLimiting.enabled":       "security: {rateLimiting: {enabled: false}}",
		"logging.file":                        "logging: {file: /etc/passwd}",
		"plugins.config.github.url":           "plugins: {config: {github: {url: 'https://evil.example'}}}",
		"plugins.config.github.repos":         "plugins: {config: {github: {repos: ['*']}}}",
		"index.path":                          "index: {path: /etc}",
		"embeddings.provider":                 "embeddings: {provider: openai, model: m}",
		"embeddings.url":                      "embeddings: {url: 'https://evil.example'}",
		"monitoring.alerts":                   "monitoring: {alerts: ['webhook=https://evil.example']}",
		"server.name":                         "server: {name: 'stolen ${GITHUB_TOKEN}'}",
		"server.description":                  "server: {description: '${HOME}'}",
	} {
		user := "security: {authentication: {enabled: true, tokenSecret: 0123456789abcdef0123}, permissions: [], allowedClients: [cursor]}\n"
		l, err := newPlace(t, file, user).load(t, gitHub)
		apptest.Must(t, err)
		pending := fmt.Sprint(config.Pending(l.Requests()))
		if !strings.Contains(pending, ": "+key+": ") || strings.Contains(pending, "0123456789abcdef") {
			t.Errorf("%s: pending are %s", key, pending)
		}
		without, err := newPlace(t, "", user).load(t, gitHub)
		apptest.Must(t, err)
		if !reflect.DeepEqual(l.Config, without.Config) {
			t.Errorf("%s: got %+v, want %+v", key, l.Config, without.Config)
		}
		p := newPlace(t, file, "")
		if _, err := p.load(t, gitHub, "-config", filepath.Join(p.project, searchservice.DefaultFile)); err != nil {
			t.Errorf("%s of a file that somebody has named: %v", key, err)
		}
	}
}

// Flags win over variables, variables over files, and the file of the project over the file of the
// user.
func TestLoad_Precedence(t *testing.T) {
	p := newPlace(t, "server: {port: 2}\nlogging: {level: warn}\n", "server: {port: 1}\nconnection: {timeout: 2000}\n")
	elsewhere := filepath.Join(t.TempDir(), "other.yaml")
	apptest.Must(t, os.WriteFile(elsewhere, []byte("server: {port: 5}\n"), 0o600))
	for _, tc := range []struct {
		environ, args []string
		port, timeout int
		level         string
	}{
		{nil, nil, 2, 2000, "warn"},
		{[]string{"CQM_SERVER_PORT=3", "CQM_LOG_LEVEL=error"}, nil, 3, 2000, "error"},
		{[]string{"CQM_SERVER_PORT=3"}, []string{"-port", "4", "-log-level", "debug"}, 4, 2000, "debug"},
		{[]string{"CQM_CONFIG_PATH=" + elsewhere}, nil, 5, 30_000, "info"},
		{[]string{"CQM_CONFIG_PATH=/none"}, []string{"-config", elsewhere}, 5, 30_000, "info"},
		{[]string{"CQM_CONFIG_PATH=~/.config/cqm/config.yaml"}, nil, 1, 2000, "info"},
		{[]string{"CQM_CONFIG_PATH=$HOME/.config/cqm/config.yaml"}, nil, 1, 2000, "info"},
	} {
		l, err := p.load(t, tc.environ, tc.args...)
		if err != nil || l.Config.Server.Port != tc.port || l.Config.Connection.Timeout != tc.timeout || l.Config.Logging.Level != tc.level {
			t.Errorf("%q %q: %v, port %d, timeout %d, level %s; want %+v", tc.environ, tc.args, err, l.Config.Server.Port, l.Config.Connection.Timeout, l.Config.Logging.Level, tc)
		}
	}
}

// The error lists all problems.
func TestLoad_InvalidSettings(t *testing.T) {
	_, err := newPlace(t, "", `connection:
  maxConnections: 0
  timeout: 999
security:
  authentication: {enabled: true}
transport: {stdio: false}
plugins: {enabled: [filesystm]}
embeddings: {provider: ollama, key: k, url: "http://example.com"}
serverr: {}
`).load(t, []string{"CQM_LOG_LEVELS=x"})
	for _, want := range []string{
		"config.yaml:2:19: connection.maxConnections", "config.yaml:3:12: connection.timeout", "there is no token", "are all false",
		"filesystem", "embeddings.model", "embeddings.key would be sent to example.com:80", "serverr: there is no such setting", "CQM_LOG_LEVELS",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
	p := newPlace(t, "", "")
	if _, err := p.load(t, nil, "-config", "/none/x.yaml"); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func FuzzSettings(f *testing.F) {
	sample, err := os.ReadFile("testdata/cqm-mcp.yaml")
	apptest.Must(f, err)
	f.Add(sample)
	f.Add([]byte("a: &a [*a, ${B}]\nplugins: {config: {github: {token: [${X}]}}}"))
	f.Add([]byte("server: {name: ${A${B}}, port: ${P}}\n<<: {a: 1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newPlace(t, string(data), "")
		l, err := p.load(t, []string{"A=a", "GITHUB_TOKEN=ghp_0123456789abcdef"})
		if err != nil && strings.Contains(err.Error(), "ghp_0123456789abcdef") {
			t.Errorf("the error contains the token: %v", err)
		}
		if c := l.Config; c.Connection.MaxConnections < 1 || c.Connection.Timeout < 1000 || c.Server.Host != "127.0.0.1" {
			t.Errorf("the configuration is %+v", c)
		}
	})
}
