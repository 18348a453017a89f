package specification

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/tools/telemetry/alert"
	"github.com/dougu-go/dougu/transport"
)

// library is a running cqm.
type library struct {
	*subject
	mu     sync.Mutex
	stderr []string
}

// log returns standard error so far.
func (l *library) log() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.stderr, "\n")
}

// newLibrary starts cqm with settings in YAML; empty settings are the defaults.
func newLibrary(t *testing.T, files map[string]string, settings string, env ...string) *library {
	t.Helper()
	l := &library{subject: &subject{t: t, dir: t.TempDir(), joint: true}}
	l.write(files)
	if settings != "" {
		env = append(env, "CQM_CONFIG_PATH="+writeSettings(t, settings))
	}
	l.connect(transport.Command{Path: program(t, "cqm"), Args: []string{"mcp-server", "--project", l.dir}, Env: environ(t, env...), Stderr: func(line string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stderr = append(l.stderr, line)
	}}, nil)
	return l
}

// writeSettings writes a settings file outside of any project and returns its path.
func writeSettings(t *testing.T, settings string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cqm.yaml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// exchange sends lines to a program and returns the objects that it answers.
func exchange(cmd *exec.Cmd, lines ...string) ([]map[string]any, error) {
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	scanner := bufio.NewScanner(bytes.NewReader(out))
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var object map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &object); err != nil {
			return nil, fmt.Errorf("%w: %s", err, scanner.Bytes())
		}
		all = append(all, object)
	}
	return all, scanner.Err()
}

// ids returns the ids of responses.
func ids(responses []map[string]any) []any {
	var all []any
	for _, r := range responses {
		all = append(all, r["id"])
	}
	return all
}

// initialize is the first request of a session with the revision of the specification.
const initialize = `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"specification","version":"1"}}}`

// cqmProtocolChecks are the checks of messages on standard input and output.
func cqmProtocolChecks(t *testing.T) map[string]check {
	dir := t.TempDir()
	said := func(lines ...string) ([]map[string]any, error) {
		cmd := exec.Command(program(t, "cqm"), "mcp-server", "--project", dir)
		cmd.Env = append(os.Environ(), environ(t)...)
		return exchange(cmd, lines...)
	}
	// member returns a check of a member of the first answer.
	member := func(path string, lines ...string) check {
		return func(r row) error {
			got, err := said(lines...)
			if err != nil || len(got) == 0 {
				return fmt.Errorf("found %v: %w", got, err)
			}
			code, _, _ := strings.Cut(r.name, " ")
			want := r.spec
			if r.kind == "error" {
				want = code
			}
			return expect(fmt.Sprint(at(got[0], path)) == want, got)
		}
	}
	rpc := func(codes ...string) check {
		return func(r row) error {
			want, _, _ := strings.Cut(r.name, " ")
			for _, code := range codes {
				if got := fmt.Sprint(errorclass.Of(code).RPC); got != want {
					return fmt.Errorf("%s has %s", code, got)
				}
			}
			return nil
		}
	}
	return map[string]check{
		"error -32700":              member("error.code", "no JSON"),
		"error -32600":              member("error.code", `{"jsonrpc":"2.0","id":1}`),
		"error -32603":              rpc("TIMEOUT", "NO_SUCH_CODE"),
		"error -32000":              rpc("ISSUES_UNAVAILABLE", "CIRCUIT_OPEN", "NO_TOKEN"),
		"error -32001":              rpc("INDEX_UNAVAILABLE"),
		"error -32002":              rpc("CONFIG_ERROR"),
		"error -32003":              rpc("CONNECTION_LIMIT"),
		"behaviour protocolVersion": member("result.protocolVersion", initialize),
		"behaviour capabilities": func(row) error {
			got, err := said(initialize)
			if err != nil || len(got) != 1 {
				return fmt.Errorf("found %v: %w", got, err)
			}
			all := at(got[0], "result.capabilities")
			for _, path := range []string{"tools.listChanged", "resources.subscribe", "resources.listChanged", "prompts.listChanged"} {
				if at(all, path) != true {
					return fmt.Errorf("%s is missing in %v", path, all)
				}
			}
			return expect(hasType(at(all, "logging"), "object"), all)
		},
		"behaviour homepage of the server": member("result.serverInfo.websiteUrl", initialize),
		"behaviour the id of a request": func(row) error {
			got, err := said(initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
			return errors.Join(err, expect(len(got) == 2 && slices.Contains(ids(got), any("first")) && slices.Contains(ids(got), any(7.0)), got))
		},
		"behaviour lines of standard input": func(row) error {
			got, err := said(initialize, "", "   ", "{", `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
			return errors.Join(err, expect(len(got) == 3 && slices.Contains(ids(got), any(7.0)), got))
		},
	}
}

// cqmSettingChecks are the checks of settings and their sources.
func cqmSettingChecks(t *testing.T) map[string]check {
	// shows runs "cqm config" with settings in YAML and returns its table.
	shows := func(settings string, flags []string, env ...string) (string, error) {
		args := append([]string{"config", "-root", t.TempDir()}, flags...)
		cmd := exec.Command(program(t, "cqm"), args...)
		if settings != "" {
			env = append(env, "CQM_CONFIG_PATH="+writeSettings(t, settings))
		}
		cmd.Env = append(os.Environ(), environ(t, env...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	contains := func(word, settings string, env ...string) check {
		return func(row) error {
			out, err := shows(settings, nil, env...)
			return errors.Join(err, expect(strings.Contains(out, word), out))
		}
	}
	valid := func(settings string) check {
		return func(row) error {
			out, err := shows(settings, nil)
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		}
	}
	invalid := func(settings, word string, flags ...string) check {
		return func(row) error {
			out, err := shows(settings, flags, "GITHUB_TOKEN=")
			return expect(err != nil && strings.Contains(out, word), out)
		}
	}
	// home returns a check that a path below the home directory names the settings file.
	home := func(path string) check {
		return func(row) error {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "own.yaml"), []byte("server: {name: mine}\n"), 0o600); err != nil {
				return err
			}
			out, err := shows("", nil, "HOME="+dir, "CQM_CONFIG_PATH="+path)
			return errors.Join(err, expect(strings.Contains(out, `"mine"`), out))
		}
	}
	github := []string{"GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz", "GITHUB_OWNER=library", "GITHUB_REPO=books"}
	serves := func(dir string, args, env []string) check {
		return func(row) error {
			s := &subject{t: t, dir: t.TempDir()}
			s.write(map[string]string{"package.json": `{"name":"the-project"}`})
			for i := range env {
				env[i] += s.dir
			}
			if dir == "." {
				dir = s.dir
			}
			s.connect(transport.Command{Path: program(t, "cqm"), Dir: dir, Args: args, Env: environ(t, env...)}, nil)
			return s.returns("getProjectContext", nil, func(got map[string]any) bool { return at(got, "project.name") == "the-project" })(row{})
		}
	}
	table, err := shows("", nil)
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]check{
		"setting logging.level none":                          invalid("logging: {level: none}\n", "logging.level"),
		"setting plugins.enabled":                             contains(`["filesystem", "github"]`, "", github...),
		"setting a variable in a file":                        contains(`"mine"`, "server: {name: \"${OWN_NAME}\"}\n", "OWN_NAME=mine"),
		"setting a variable in a file that is not set":        invalid("server: {name: \"${OWN_NAME}\"}\n", "OWN_NAME"),
		"setting connection.maxConnections 0":                 invalid("connection: {maxConnections: 0}\n", "maxConnections"),
		"setting connection.maxConnections 1":                 valid("connection: {maxConnections: 1}\n"),
		"setting connection.timeout 999":                      invalid("connection: {timeout: 999}\n", "timeout"),
		"setting connection.timeout 1000":                     valid("connection: {timeout: 1000}\n"),
		"setting plugins.enabled github without GITHUB_TOKEN": invalid("plugins: {enabled: [github]}\n", "GITHUB_TOKEN", "-strict"),
		"setting plugins.config.github of the environment": func(row) error {
			out, err := shows("", nil, github...)
			return errors.Join(err, expect(containsAll(out, `"library"`, `"books"`) && !strings.Contains(out, github[0][len("GITHUB_TOKEN="):]), out))
		},
		"limit the time without requests after which a session ends": func(r row) error {
			return expect(regexp.MustCompile(`(?m)^connection\.idleTimeout +`+r.spec+` +default`).MatchString(table), table)
		},
		"setting the default of logging.file": func(r row) error {
			return expect(regexp.MustCompile(`(?m)^logging\.file +"`+regexp.QuoteMeta(r.spec)+`"`).MatchString(table), "another default")
		},
		"setting CQM_CONFIG_PATH":            contains(`"mine"`, "server: {name: mine}\n"),
		"setting CQM_CONFIG_PATH with ~":     home("~/own.yaml"),
		"setting CQM_CONFIG_PATH with $HOME": home("$HOME/own.yaml"),
		"setting CQM_LOG_LEVEL":              contains(`"warn"`, "", "CQM_LOG_LEVEL=warn"),
		"setting CQM_PROJECT_ROOT":           serves("", []string{"mcp-server"}, []string{"CQM_PROJECT_ROOT="}),
		"setting mcp-server --project .":     serves(".", []string{"mcp-server", "--project", "."}, nil),
		"setting mcp-server":                 serves(".", []string{"mcp-server"}, nil),
	}
	for _, r := range readTable(t, "cqm.tsv") {
		level, isLevel := strings.CutPrefix(r.name, "logging.level ")
		switch {
		case isLevel && level != "none":
			checks["setting "+r.name] = valid("logging: {level: " + level + "}\n")
		case r.section == "3.1" && r.kind == "setting" && !isLevel:
			checks["setting "+r.name] = func(r row) error {
				found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(r.name) + ` +(\S+) +default`).FindStringSubmatch(table)
				if found == nil {
					return errors.New("there is no such setting")
				}
				var value any
				err := json.Unmarshal([]byte(found[1]), &value)
				return errors.Join(err, expect(hasType(value, r.spec), value))
			}
		}
	}
	return checks
}

// cqmPolicyChecks are the checks of limits, errors, logs and monitoring.
func cqmPolicyChecks(t *testing.T) map[string]check {
	files := map[string]string{"a.go": "package a\n\n// Open opens.\nfunc Open() {}\n"}
	limited := newLibrary(t, files, "security: {rateLimiting: {maxRequestsPerMinute: 10}}\n", "GITHUB_TOKEN=")
	free := newLibrary(t, files, "security: {rateLimiting: {enabled: false, maxRequestsPerMinute: 1}}\n", "GITHUB_TOKEN=")
	refused := func(l *library, calls int) (*mcp.ToolResult, error) {
		for range calls {
			if result, err := l.call("getProjectContext", nil); err != nil || result.IsError {
				return result, err
			}
		}
		return nil, nil
	}
	verbose := newLibrary(t, files, "logging: {level: debug, structured: true}\nsecurity: {rateLimiting: {enabled: false}}\n", "GITHUB_TOKEN=")
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	for _, query := range []string{"Open", "the token " + secret, ""} {
		if _, err := verbose.call("searchDocuments", map[string]any{"query": query}); err != nil {
			t.Fatal(err)
		}
	}
	logged := func(parts ...string) check {
		return func(row) error {
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
				for line := range strings.Lines(verbose.log()) {
					if containsAll(line, parts...) {
						return nil
					}
				}
				if err := verbose.client.Ping(t.Context()); err != nil {
					return err
				}
			}
			return fmt.Errorf("no record with %q", parts)
		}
	}
	checks := map[string]check{
		"behaviour requests over maxRequestsPerMinute": func(row) error {
			result, err := refused(limited, 11)
			if err != nil || result == nil {
				return fmt.Errorf("found %v: %w", result, err)
			}
			parts, _ := result.Meta[protocol.ErrorMeta].(map[string]any)
			return expect(parts["code"] == "RATE_LIMITED" && hasType(at(parts["remaining"], "minute"), "number") && hasType(at(parts["remaining"], "hour"), "number"), parts)
		},
		"behaviour rateLimiting.enabled false": func(row) error {
			result, err := refused(free, 20)
			return errors.Join(err, expect(result == nil, result))
		},
		"behaviour the severity of INTERNAL_ERROR": func(r row) error {
			return expect(string(errorclass.Of("INTERNAL_ERROR").Severity) == r.spec, "another")
		},
		"behaviour the messages of the severities": func(row) error {
			for code, want := range map[string]string{
				"NO_SUCH_CODE": "処理中に軽微なエラーが発生しました。しばらく待ってから再試行してください。",
				"TIMEOUT":      "一時的なエラーが発生しました。接続状態を確認して再試行してください。",
				"CONFIG_ERROR": "システムエラーが発生しました。管理者にお問い合わせください。",
				"AUDIT_FAILED": "重大なシステムエラーが発生しました。システム管理者に緊急で連絡してください。",
			} {
				if got := errorclass.Of(code).Message(errorclass.Japanese); got != want {
					return fmt.Errorf("%s: %s", code, got)
				}
			}
			return nil
		},
		"behaviour capabilities by the kind of client": func(row) error { return errors.New("there is no such table") },
		"log a request":         logged(`"msg":"tool called"`, `"tool":"searchDocuments"`, `"requestId":`, `"arguments":`, `Open`),
		"log a response":        logged(`"msg":"tool call"`, `"tool":"searchDocuments"`, `"durationMs":`, `"outcome":"ok"`),
		"log a failed response": logged(`"level":"WARN"`, `"tool":"searchDocuments"`, `"outcome":"error"`, `"code":"INVALID_PARAMS"`),
		"log secrets": func(row) error {
			return errors.Join(logged("the token")(row{}), expect(!strings.Contains(verbose.log(), secret), "the secret"))
		},
		"log time": func(row) error {
			for line := range strings.Lines(verbose.log()) {
				var record map[string]any
				if json.Unmarshal([]byte(line), &record) == nil && !hasType(record["time"], "time") {
					return fmt.Errorf("found %s", line)
				}
			}
			return nil
		},
		"log structured": logged(`{"time":`, `"level":`, `"msg":`),
	}
	maps.Copy(checks, logFileChecks(t, files))
	maps.Copy(checks, monitoringChecks(t, files))
	for _, r := range readTable(t, "cqm.tsv") {
		code, hasSeverity := strings.CutPrefix(r.name, "the severity of ")
		retried, hasRetry := strings.CutPrefix(r.name, "retryable of ")
		retried, _, _ = strings.Cut(retried, ",")
		client, isClient := strings.CutPrefix(r.name, "the client ")
		rule, isRule := strings.CutPrefix(r.name, "the alert ")
		switch {
		case hasSeverity && r.differs == "":
			checks["behaviour "+r.name] = func(r row) error { return expect(string(errorclass.Of(code).Severity) == r.spec, errorclass.Of(code)) }
		case hasRetry:
			checks["behaviour "+r.name] = func(r row) error {
				return expect(fmt.Sprint(errorclass.Of(retried).Retryable) == r.spec, errorclass.Of(retried))
			}
		case isClient:
			name, agent, _ := strings.Cut(client, " with the user agent")
			checks["behaviour "+r.name] = func(r row) error {
				got := access.Detect(name, strings.TrimSpace(agent))
				return expect(got == r.spec, got)
			}
		case isRule:
			checks["behaviour "+r.name] = func(r row) error {
				for _, known := range alert.Defaults() {
					if known.Name == rule {
						got := fmt.Sprintf("%s, above %s: %s", known.Severity, strconv.FormatFloat(known.Above, 'f', -1, 64), known.Message)
						return expect(got == r.spec, got)
					}
				}
				return errors.New("there is no such rule")
			}
		}
	}
	return checks
}

// logFileChecks are the checks of the rotation of the log file.
func logFileChecks(t *testing.T, files map[string]string) map[string]check {
	dir := t.TempDir()
	name := filepath.Join(dir, "cqm-mcp.log")
	for i, suffix := range []string{"", ".1", ".2", ".3", ".4", ".5"} {
		size := i
		if suffix == "" {
			size = 10485760
		}
		if err := os.WriteFile(name+suffix, bytes.Repeat([]byte("\n"), size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := newLibrary(t, files, "security: {rateLimiting: {enabled: false}}\nlogging: {file: \""+filepath.ToSlash(name)+"\"}\n", "GITHUB_TOKEN=")
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if info, err := os.Stat(name + ".1"); err == nil && info.Size() == 10485760 {
			break
		}
		l.mustMembers("getProjectContext", nil)
	}
	return map[string]check{
		"limit size of the log file": func(row) error {
			info, err := os.Stat(name + ".1")
			return errors.Join(err, expect(info != nil && info.Size() == 10485760, info))
		},
		"limit rotated log files": func(row) error {
			all, err := filepath.Glob(name + ".*")
			return errors.Join(err, expect(len(all) == 5 && slices.Contains(all, name+".5"), all))
		},
	}
}

// monitoringChecks are the checks of health and metrics over HTTP.
func monitoringChecks(t *testing.T, files map[string]string) map[string]check {
	l := newLibrary(t, files, "server: {port: 0}\ntransport: {http: true}\nsecurity: {rateLimiting: {enabled: false}}\n", "GITHUB_TOKEN=")
	base := regexp.MustCompile(`serves (http://[0-9.:]+)/`)
	for deadline := time.Now().Add(time.Minute); !base.MatchString(l.log()) && time.Now().Before(deadline); {
		if err := l.client.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	found := base.FindStringSubmatch(l.log())
	if found == nil {
		t.Fatalf("no address in %s", l.log())
	}
	l.mustMembers("getProjectContext", nil)
	get := func(path string) ([]byte, error) {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Get(found[1] + path)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		return io.ReadAll(response.Body)
	}
	health := func() (map[string]any, error) {
		body, err := get("/healthz")
		if err != nil {
			return nil, err
		}
		var object map[string]any
		err = json.Unmarshal(body, &object)
		return object, err
	}
	checks := map[string]check{
		"behaviour the checks of the health": func(row) error {
			got, err := health()
			if err != nil {
				return err
			}
			names, _ := lookUp([]any{any(got)}, "checks[].name")
			details, missing := lookUp([]any{any(got)}, "checks[].details")
			states, _ := lookUp([]any{any(got)}, "checks[].status")
			return expect(fmt.Sprint(names) == "[mcp-server rag-engine plugins connections]" && missing == 0 && len(details) == 4 &&
				!slices.ContainsFunc(states, func(s any) bool { return !hasType(s, "enum healthy|unhealthy") }), got)
		},
	}
	for _, r := range readTable(t, "cqm.tsv") {
		member, isHealth := strings.CutSuffix(r.name, " of the health")
		metric, isMetric := strings.CutPrefix(r.name, "the metric ")
		switch {
		case isHealth && r.spec != "" && !strings.Contains(member, " "):
			checks["behaviour "+r.name] = func(r row) error {
				got, err := health()
				return errors.Join(err, expect(hasType(got[member], r.spec), got))
			}
		case isMetric:
			checks["behaviour "+r.name] = func(row) error {
				body, err := get("/metrics")
				return errors.Join(err, expect(strings.Contains(string(body), "\ncqm_"+metric) || strings.Contains(string(body), "\n"+metric), regexp.MustCompile(`(?m)^(#.*|.*_bucket.*)\n`).ReplaceAllString(string(body), "")))
			}
		}
	}
	return checks
}
