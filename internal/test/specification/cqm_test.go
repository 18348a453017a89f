package specification

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/transport"
)

func TestCQM(t *testing.T) {
	t.Parallel()
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	hub := githubtest.New()
	t.Cleanup(hub.Close)
	hub.RequireToken(token)
	repository := hub.Add("library/books")
	repository.AddIssue(githubtest.Issue{Title: "The door squeaks", Body: "It does when it rains.", Labels: []string{"house"}, Assignees: []string{"ann"}})
	repository.AddIssue(githubtest.Issue{Title: "The door is heavy", Body: "Much."})
	settings := filepath.Join(t.TempDir(), "cqm.yaml")
	if err := os.WriteFile(settings, []byte("plugins: {config: {github: {token: \"${GITHUB_TOKEN}\", owner: library, repo: books, url: \""+hub.URL()+"\"}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"package.json": `{"name":"p","version":"1.0.0","description":"d"}`,
		"old/sum.py":   "# Sum adds numbers.\ndef sum_numbers(numbers):\n    total = 0\n    for n in numbers:\n        total += n\n    if total < 0:\n        return 0\n    return total\n",
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
	s.samples = []sample{{"getProjectContext", map[string]any{"includeFiles": true}}, {"searchDocuments", map[string]any{"query": "Sum"}}}
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
			var failure *protocol.Error
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
	parts, _ := failed.Meta[protocol.ErrorMeta].(map[string]any)
	part := func(r row) error {
		name := strings.TrimPrefix(r.name, "error.")
		return expect(hasType(parts[name], r.spec), parts)
	}
	s.checks = map[string]check{
		"error -32601":                     request("no/method", "{}"),
		"error -32602":                     request("tools/call", "{}"),
		"error -32601 for an unknown tool": request("tools/call", `{"name":"none","arguments":{}}`),
		"error INVALID_PARAMS":             s.fails("searchDocuments", map[string]any{"query": ""}),
		"error -32603 for a tool":          func(row) error { return fmt.Errorf("the result has the code %s", failed.ErrorCode()) },
		"result error.severity":            part,
		"result error.retryable":           part,
		"result error.requestId":           part,
		"result error.timestamp":           part,
		"behaviour the message for users": func(row) error {
			return expect(regexp.MustCompile(`\p{Hiragana}`).MatchString(fmt.Sprint(parts["userMessage"])), parts)
		},
		"limit additionalProperties false": func(row) error {
			for _, c := range []sample{
				{"getProjectContext", map[string]any{}}, {"searchDocuments", map[string]any{"query": "x"}}, {"searchIssues", map[string]any{"query": "x"}},
				{"createIssue", map[string]any{"title": "x"}}, {"findSimilarCode", map[string]any{"code": "func main() {}"}},
			} {
				c.args["unknown"] = 1
				if err := s.failsAs("INVALID_PARAMS", c.tool, c.args)(row{}); err != nil {
					return err
				}
			}
			return nil
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
	for _, more := range []map[string]check{cqmProtocolChecks(t), cqmSettingChecks(t), cqmPolicyChecks(t), s.searchChecks(), s.issueChecks(begin, token, settings)} {
		maps.Copy(s.checks, more)
	}
	for _, r := range readTable(t, "cqm.tsv") {
		if r.section == "3.2" && s.checks[r.kind+" "+r.name] == nil {
			s.checks[r.kind+" "+r.name] = func(r row) error {
				return expect(regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(r.name)+` +`+regexp.QuoteMeta(r.spec)+` +default`).Match(config), string(config))
			}
		}
	}
	s.run("cqm.tsv", nil)
}

// searchChecks are the checks of the tools for the project.
func (s *subject) searchChecks() map[string]check {
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(s.dir, "old", "sum.py"), old, old); err != nil {
		s.t.Fatal(err)
	}
	s.mustMembers("refresh_index", nil)
	finds := func(args map[string]any, ok func(text string) bool) check {
		return func(row) error {
			all := map[string]any{"query": "Sum numbers"}
			maps.Copy(all, args)
			result, err := s.call("searchDocuments", all)
			return errors.Join(err, expect(!result.IsError && ok(text(result)), text(result)))
		}
	}
	filtered := func(filters map[string]any, has, lacks string) check {
		return finds(map[string]any{"filters": filters}, func(text string) bool { return strings.Contains(text, has) && !strings.Contains(text, lacks) })
	}
	similar := func(args map[string]any, ok func(text string) bool) check {
		return func(row) error {
			result, err := s.call("findSimilarCode", args)
			return errors.Join(err, expect(!result.IsError && ok(text(result)), text(result)))
		}
	}
	isJSON := func(tool string, args map[string]any) check {
		return func(row) error {
			result, err := s.call(tool, args)
			return errors.Join(err, expect(json.Valid([]byte(text(result))), text(result)))
		}
	}
	sum := s.read("sum.go")
	return map[string]check{
		"behaviour arguments are checked before permissions": s.failsAs("INVALID_PARAMS", "createIssue", map[string]any{"title": ""}),
		"behaviour includeGitStatus false":                   s.returns("getProjectContext", map[string]any{"includeGitStatus": false}, func(got map[string]any) bool { return got["git"] == nil }),
		"behaviour includeFiles": s.returns("getProjectContext", map[string]any{"includeFiles": true, "maxResults": 1}, func(got map[string]any) bool {
			files, _ := got["files"].([]any)
			return len(files) == 1
		}),
		"behaviour the text of getProjectContext": isJSON("getProjectContext", nil),
		"behaviour the text of searchIssues":      isJSON("searchIssues", map[string]any{"query": "door"}),
		"behaviour filters.fileTypes":             filtered(map[string]any{"fileTypes": []string{"py"}}, "sum.py", "sum.go"),
		"behaviour filters.path":                  filtered(map[string]any{"path": "old/"}, "sum.py", "sum.go"),
		"behaviour filters.modifiedAfter":         filtered(map[string]any{"modifiedAfter": time.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)}, "sum.go", "sum.py"),
		"behaviour filters with another member":   s.failsAs("INVALID_PARAMS", "searchDocuments", map[string]any{"query": "x", "filters": map[string]any{"other": 1}}),
		"behaviour limit of searchDocuments":      finds(map[string]any{"limit": 1}, func(text string) bool { return strings.Contains(text, "sum.go") != strings.Contains(text, "sum.py") }),
		"behaviour includeContent false": finds(map[string]any{"includeContent": false}, func(text string) bool {
			return strings.Contains(text, "sum.go") && !strings.Contains(text, "total += n")
		}),
		"behaviour language of findSimilarCode": func(row) error {
			err := similar(map[string]any{"code": sum, "similarity": 0.3, "language": "go"}, func(text string) bool { return strings.Contains(text, "File: sum.go") })(row{})
			return errors.Join(err, s.failsAs("INVALID_PARAMS", "findSimilarCode", map[string]any{"code": sum, "language": "none"})(row{}))
		},
		"behaviour similarity 1": similar(map[string]any{"code": sum, "similarity": 1}, func(text string) bool { return !strings.Contains(text, "sum.py") }),
	}
}

// issueChecks are the checks of the tools for issues. begin starts another server.
func (s *subject) issueChecks(begin func(env ...string) *subject, token, settings string) map[string]check {
	issues := func(args map[string]any, want ...string) check {
		return func(row) error {
			all := map[string]any{"query": "door"}
			maps.Copy(all, args)
			got, err := s.members("searchIssues", all)
			titles, _ := lookUp([]any{any(got)}, "issues[].title")
			return errors.Join(err, expect(len(titles) == len(want) && containsAll(fmt.Sprint(titles), want...), got))
		}
	}
	return map[string]check{
		"behaviour state closed":        issues(map[string]any{"state": "closed"}),
		"behaviour labels and assignee": issues(map[string]any{"labels": []string{"house"}, "assignee": "ann"}, "The door squeaks"),
		"behaviour createIssue without the permission issues:write": func(row) error {
			reader := begin("GITHUB_TOKEN="+token, "CQM_CONFIG_PATH="+settings, "CQM_SECURITY_PERMISSIONS=[]")
			return reader.failsAs("PERMISSION_REQUIRED", "createIssue", map[string]any{"title": "x"})(row{})
		},
		"limit createIssue in a minute": func(r row) error {
			writer := begin("GITHUB_TOKEN="+token, "CQM_CONFIG_PATH="+settings)
			for n := range 6 {
				result, err := writer.call("createIssue", map[string]any{"title": fmt.Sprint("issue ", n)})
				if err != nil {
					return err
				}
				if result.IsError {
					return expect(fmt.Sprint(n) == r.spec && result.ErrorCode() == "RATE_LIMITED", fmt.Sprint(n, text(result)))
				}
			}
			return errors.New("all six are made")
		},
		"behaviour the description of the created issue": func(r row) error {
			result, err := s.call("createIssue", map[string]any{"title": "The bell rings"})
			if err != nil || len(result.Content) != 2 {
				return fmt.Errorf("found %+v: %w", result, err)
			}
			link, _ := result.Content[1].(mcp.ResourceLink)
			return expect(link.Description == r.spec, link)
		},
	}
}
