package specification

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/transport"
)

func TestCQM(t *testing.T) {
	t.Parallel()
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	hub := githubtest.New()
	t.Cleanup(hub.Close)
	hub.RequireToken(token)
	hub.Add("library/books").AddIssue(githubtest.Issue{Title: "The door squeaks", Body: "It does when it rains."})
	settings := filepath.Join(t.TempDir(), "cqm.yaml")
	if err := os.WriteFile(settings, []byte("plugins: {config: {github: {token: \"${GITHUB_TOKEN}\", owner: library, repo: books, url: \""+hub.URL()+"\"}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"package.json": `{"name":"p","version":"1.0.0","description":"d"}`,
		"sum.go":       "package p\n\n// Sum adds numbers.\nfunc Sum(numbers []int) int {\n\ttotal := 0\n\tfor _, n := range numbers {\n\t\ttotal += n\n\t}\n\tif total < 0 {\n\t\treturn 0\n\t}\n\treturn total\n}\n",
	}
	begin := func(env ...string) *subject {
		s := &subject{t: t, dir: t.TempDir(), joint: true, extra: []string{"get_index_status", "refresh_index"}}
		s.write(files)
		if out, err := exec.Command("git", "init", "-q", s.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		s.connect(transport.Command{Path: program(t, "cqm"), Args: []string{"mcp-server", "--stdio", "--project", s.dir}, Env: environ(t, env...)}, nil)
		return s
	}
	s, bare := begin("GITHUB_TOKEN="+token, "CQM_CONFIG_PATH="+settings), begin("GITHUB_TOKEN=")
	s.samples = []sample{{"getProjectContext", map[string]any{"includeFiles": true}}}
	config, err := exec.Command(program(t, "cqm"), "config", "-project", s.dir).Output()
	if err != nil {
		config, err = exec.Command(program(t, "cqm"), "config").Output()
	}
	if err != nil {
		t.Fatal(err)
	}
	// request returns the code of the error of a request.
	request := func(method, params string) check {
		return func(r row) error {
			_, err := s.client.Request(t.Context(), method, json.RawMessage(params), nil)
			var failure *mcp.Error
			if !errors.As(err, &failure) {
				return fmt.Errorf("no protocol error: %w", err)
			}
			code, _, _ := strings.Cut(r.name, " ")
			return expect(fmt.Sprint(failure.Code) == code, failure)
		}
	}
	failed, err := bare.call("searchIssues", map[string]any{"query": "x"})
	if err != nil {
		t.Fatal(err)
	}
	parts, _ := failed.Meta[mcp.ErrorMeta].(map[string]any)
	part := func(r row) error {
		name := strings.TrimPrefix(r.name, "error.")
		return expect(hasType(parts[name], r.spec), parts)
	}
	s.checks = map[string]check{
		"error -32601":                     request("no/method", "{}"),
		"error -32602":                     request("tools/call", "{}"),
		"error -32601 for an unknown tool": request("tools/call", `{"name":"none","arguments":{}}`),
		"error INVALID_PARAMS":             s.fails("searchDocuments", map[string]any{"query": ""}),
		"error -32000":                     func(row) error { return fmt.Errorf("the result has the code %s", failed.ErrorCode()) },
		"result error.severity":            part,
		"result error.retryable":           part,
		"result error.requestId":           part,
		"result error.timestamp":           part,
		"behaviour the message for users": func(row) error {
			return expect(regexp.MustCompile(`\p{Hiragana}`).MatchString(fmt.Sprint(parts["userMessage"])), parts)
		},
		"limit additionalProperties false": func(row) error {
			return s.fails("getProjectContext", map[string]any{"unknown": 1})(row{name: "INVALID_PARAMS"})
		},
		"behaviour createIssue returns": func(row) error {
			result, err := s.call("createIssue", map[string]any{"title": "The lamp is out", "body": "Since yesterday."})
			if err != nil || len(result.Content) != 2 {
				return fmt.Errorf("found %+v: %w", result, err)
			}
			first, _ := result.Content[0].(mcp.TextContent)
			link, _ := result.Content[1].(mcp.ResourceLink)
			return expect(first.Text == "Issue created: "+link.URI && link.Name == "The lamp is out", result.Content)
		},
		"behaviour findSimilarCode returns": func(row) error {
			result, err := s.call("findSimilarCode", map[string]any{"code": files["sum.go"], "similarity": 0.3})
			if err != nil {
				return err
			}
			return expect(!result.IsError && regexp.MustCompile(`(?s)File: sum\.go.*\nSimilarity: \d.*\n\n.*total \+= n`).MatchString(text(result)), text(result))
		},
		"behaviour searchDocuments returns": func(row) error {
			result, err := s.call("searchDocuments", map[string]any{"query": "Sum"})
			if err != nil {
				return err
			}
			return expect(strings.Contains(text(result), "sum.go") && strings.Contains(text(result), "total += n"), text(result))
		},
		"behaviour initialize": func(row) error {
			about := s.client.Server().Server
			return expect(about.Name == "CQ Models!" && about.Version != "" && about.Description == "Unified context manager for AI models", about)
		},
	}
	for _, r := range readTable(t, "cqm.tsv") {
		if r.section == "3.2" {
			s.checks[r.kind+" "+r.name] = func(r row) error {
				return expect(regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(r.name)+` +`+regexp.QuoteMeta(r.spec)+` +default`).Match(config), string(config))
			}
		}
	}
	s.run("cqm.tsv", nil)
}
