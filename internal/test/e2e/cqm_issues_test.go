package e2e

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
)

// pass is the token for GitHub.
const pass = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

// hub starts a fake GitHub with a repository of the project and writes its address to the user's settings.
func (s *study) hub(settings string) (*githubtest.Server, *githubtest.Repo) {
	s.t.Helper()
	hub := githubtest.New()
	s.t.Cleanup(hub.Close)
	hub.RequireToken(pass)
	repo := hub.Add("library/books")
	s.settle(settings + "plugins: {config: {github: {token: \"${GITHUB_TOKEN}\", owner: library, repo: books, url: \"" + hub.URL() + "\"}}}\n")
	return hub, repo
}

// testIssues searches and creates issues.
func testIssues(s *study) {
	hub, repo := s.hub("")
	repo.AddIssue(githubtest.Issue{Title: "The door squeaks", Body: "It does when it rains."})
	repo.AddMilestone("Spring", "open")
	l := s.begin("GITHUB_TOKEN=" + pass)
	found := consult[search.IssuesResult](s.t, l.client, "searchIssues", search.IssuesArgs{Query: "squeaks"})
	if len(found.Issues) != 1 || found.Issues[0].Title != "The door squeaks" {
		s.t.Errorf("found is %+v", found)
	}
	context := consult[search.ProjectContext](s.t, l.client, "getProjectContext", nil)
	if len(context.Issues) != 1 || context.Project.Name == "" {
		s.t.Errorf("the project is %+v", context)
	}

	args := search.CreateArgs{Title: "The lamp is out", Body: "Since yesterday.", Milestone: "Spring"}
	r, err := l.client.CallTool(s.t.Context(), "createIssue", args, nil)
	if err != nil || r.IsError || len(r.Content) != 2 {
		s.t.Fatalf("created: %+v, %v", r, err)
	}
	text, _ := r.Content[0].(mcp.TextContent)
	link, _ := r.Content[1].(mcp.ResourceLink)
	if !strings.HasPrefix(text.Text, "Issue created: ") || link.URI == "" || !strings.Contains(text.Text, link.URI) || link.Name != args.Title {
		s.t.Errorf("created: %+v", r.Content)
	}
	if all := repo.Issues(); len(all) != 2 || all[1].Milestone != 1 || !strings.HasPrefix(all[1].Body, args.Body) {
		s.t.Errorf("the repository has %+v", all)
	}
	again := consult[search.CreateResult](s.t, l.client, "createIssue", search.CreateArgs{Title: " the LAMP is  out", Body: "Another one."})
	if again.Created || len(again.PossibleDuplicates) != 1 {
		s.t.Errorf("a title that there is already: %+v", again)
	}
	l.end()
	if n := len(repo.Issues()); n != 2 || hub.Count(http.MethodPost, "/") != 1 {
		s.t.Errorf("there are %d issues, by %d requests", n, hub.Count(http.MethodPost, "/"))
	}
	s.createsFive(repo)
	s.permitted(repo)
}

// createsFive creates the number of issues that is allowed per minute, and one more.
func (s *study) createsFive(repo *githubtest.Repo) {
	before := len(repo.Issues())
	l := s.begin("GITHUB_TOKEN="+pass, "CQM_SECURITY_RATE_LIMITING_ENABLED=true")
	for _, title := range strings.Fields("one two three four five") {
		if r := consult[search.CreateResult](s.t, l.client, "createIssue", search.CreateArgs{Title: title}); !r.Created {
			s.t.Errorf("created: %+v", r)
		}
	}
	denied(s.t, l.client, "createIssue", search.CreateArgs{Title: "six"}, "RATE_LIMITED", "createIssue may be called 5 times")
	denied(s.t, l.client, "create_issue", search.CreateArgs{Title: "six"}, "RATE_LIMITED")
	consult[search.IndexStatus](s.t, l.client, "get_index_status", nil)
	if n := len(repo.Issues()) - before; n != 5 {
		s.t.Errorf("%d issues were made", n)
	}
	l.end()
}

// permitted lists and calls the tool as clients without the permission.
func (s *study) permitted(repo *githubtest.Repo) {
	before := len(repo.Issues())
	l := s.begin("GITHUB_TOKEN="+pass, "CQM_SECURITY_PERMISSIONS=issues:read")
	for _, name := range all(s.t, l.client.Tools(s.t.Context()), func(t mcp.Tool) string { return t.Name }) {
		if name == "createIssue" {
			s.t.Error("who may not create issues is offered createIssue")
		}
	}
	for _, name := range []string{"createIssue", "create_issue"} {
		denied(s.t, l.client, name, search.CreateArgs{Title: "not allowed"}, "PERMISSION_REQUIRED", "issues:write")
	}
	l.end()
	if n := len(repo.Issues()); n != before {
		s.t.Errorf("%d issues were made", n-before)
	}
}

// testSecrets looks for tokens in all output and files of the server.
func testSecrets(s *study) {
	log := filepath.Join(s.t.TempDir(), "cqm.log")
	hub, repo := s.hub(open + "logging: {level: debug, file: " + filepath.ToSlash(log) + "}\nsecurity: {authentication: {enabled: true, tokenSecret: " + card + "}}\n")
	repo.AddIssue(githubtest.Issue{Title: "The door squeaks"})
	s.write(map[string]string{".env": "LIBRARY_PASSWORD=" + pass + "\n", "src/config.go": "package src\n\n// Connect needs a token.\nconst Connect = 1\n"})
	l := s.listens("GITHUB_TOKEN=" + pass)
	l.finds("Connect", "src/config.go")
	l.finds(`"LIBRARY_PASSWORD"`)
	var said strings.Builder
	call := func(c *mcp.Client, tool string, args any) {
		r, err := c.CallTool(s.t.Context(), tool, args, nil)
		if err != nil {
			said.WriteString(err.Error() + "\n")
			return
		}
		text, err := r.AppendJSON(nil, c.Revision())
		apptest.Must(s.t, err)
		said.Write(append(text, '\n'))
	}
	use := func(c *mcp.Client) {
		for _, tool := range []string{"getProjectContext", "get_index_status"} {
			call(c, tool, nil)
		}
		call(c, "searchIssues", search.IssuesArgs{Query: "door"})
		call(c, "searchIssues", search.IssuesArgs{Query: "token " + card + "x"})
		call(c, "searchDocuments", search.DocumentsArgs{Query: "ghp_"})
		call(c, "searchDocuments", map[string]any{"query": 1})
	}
	use(l.client)
	hub.On("*", githubtest.Status(http.StatusUnauthorized, "Bad credentials for "+pass), githubtest.Status(http.StatusInternalServerError, "token "+pass), githubtest.HTMLPage(http.StatusBadGateway))
	for _, way := range ways {
		c, err := meet(s.t, l.over(way.scheme, card), "cursor", "")
		apptest.Must(s.t, err)
		use(c)
		_, err = meet(s.t, l.over(way.scheme, card+"no"), "cursor", "")
		said.WriteString(err.Error() + "\n")
	}
	for _, path := range []string{"/metrics", "/healthz"} {
		_, body := fetch(s.t, strings.Replace(l.at("http"), "/mcp", path, 1), card)
		said.WriteString(body + "\n")
	}
	told := l.end()
	for _, args := range [][]string{{"config"}, {"doctor"}, {"status"}, {"tools"}} {
		cmd := s.command([]string{"GITHUB_TOKEN=" + pass}, args...)
		out, _ := cmd.CombinedOutput()
		said.Write(out)
	}
	for where, text := range map[string]string{"the answers": said.String(), "standard error": told, "the log": read(s.t, log)} {
		for _, secret := range []string{pass, card} {
			// The server may log the query of a client.
			if i := strings.Index(strings.ReplaceAll(text, card+"x", ""), secret); i >= 0 {
				s.t.Errorf("%s have a token: %.300s", where, text[max(0, i-200):])
			}
		}
	}
	s.kept(pass)
}

// kept checks that no file of the home contains a secret, except the settings.
func (s *study) kept(secret string) {
	s.t.Helper()
	files := 0
	apptest.Must(s.t, filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), secret) {
			err = errors.New(path + " has the token")
		}
		return err
	}))
	if files < 3 {
		s.t.Errorf("there is no index in %s: %d files", s.home, files)
	}
}
