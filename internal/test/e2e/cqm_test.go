package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/search"
)

// library is a small project with code and documents.
var library = map[string]string{
	"go.mod":           "module example.com/library\n",
	"src/greet.go":     "package src\n\n// GreetVisitor says hello to somebody who comes in.\nfunc GreetVisitor(name string) string {\n\tif name == \"\" {\n\t\tname = \"nobody\"\n\t}\n\treturn \"hello, \" + name\n}\n",
	"src/count.ts":     "export function countVisitors(days: number[]): number {\n  let total = 0;\n  for (const day of days) {\n    total += day;\n  }\n  return total;\n}\n",
	"docs/opening.md":  "# Opening hours\n\nThe library opens at nine, and on holidays not at all.\n",
	"docs/利用案内.md":     "# 利用案内\n\n貸出の確認はユーザー登録のあとに行う。返却期限は二週間。\n\n## 延滞\n\n延滞した本は窓口へ。\n",
	"private/notes.md": "# Notes\n\nNobody is to see the zanzibar plan.\n",
	".gitignore":       "private/\n",
}

// TestCQM runs the example with clients and checks it from outside.
func TestCQM(t *testing.T) {
	t.Parallel()
	program := build(t, examples+"/cqm")
	for name, test := range map[string]func(s *study){
		"CommandLines": testCommandLines, "Changes": testChanges, "Japanese": testJapanese, "TwoServers": testTwoSearchers, "Together": testTogether, "Killed": testSearchKilled,
		"Hostile": testHostileProject, "Network": testNetwork, "Clients": testAllowedClients, "Connections": testConnections, "Rate": testRate,
		"Issues": testIssues, "Secrets": testSecrets, "Person": testPerson, "Install": testInstallSearch,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newStudy(t, program, library))
		})
	}
}

// testCommandLines uses valid and unusual command lines and variables of clients.
func testCommandLines(s *study) {
	s.settle("server: {name: \"Mine\"}\n")
	elsewhere := s.t.TempDir()
	apptest.Write(s.t, elsewhere, map[string]string{"cqm.yaml": "server: {name: \"Theirs\"}\n"})
	for name, tc := range map[string]struct {
		variables, args []string
		server          string // its name
	}{
		"nothing":              {nil, nil, "Mine"},
		"cursor":               {[]string{"CQM_CONFIG_PATH=" + filepath.Join(elsewhere, "cqm.yaml"), "CQM_LOG_LEVEL=info"}, []string{"serve"}, "Theirs"},
		"cursor's project":     {[]string{"CQM_PROJECT_ROOT=" + s.project, "GITHUB_TOKEN=${env:GITHUB_TOKEN}"}, []string{"mcp-server", "--project", "."}, "Mine"},
		"not replaced":         {[]string{"CQM_PROJECT_ROOT=${workspaceFolder}"}, []string{"mcp-server"}, "Mine"},
		"claude desktop":       {[]string{"CQM_CONFIG_PATH=~/.config/cqm/config.yaml"}, []string{"mcp-server"}, "Mine"},
		"its install script":   {[]string{"CQM_CONFIG_PATH=$HOME/.config/cqm/config.yaml", "CQM_LOG_LEVEL=info"}, []string{"mcp-server", "--stdio"}, "Mine"},
		"from somewhere else":  {[]string{"CQM_PROJECT_ROOT=/none"}, []string{"-project", s.project, "-log-level", "warn"}, "Mine"},
		"in memory, no GitHub": {[]string{"CQM_INDEX_PATH=memory", "CQM_PLUGINS_ENABLED=filesystem"}, []string{"mcp-server", "-strict", "-root", s.project}, "Mine"},
	} {
		s.t.Run(name, func(t *testing.T) {
			here := *s
			here.t = t
			l := here.beginAs("claude-ai", tc.variables, tc.args...)
			l.finds("GreetVisitor", "src/greet.go")
			if got := l.client.Server().Server.Name; got != tc.server {
				t.Errorf("the server is %q, and not %q", got, tc.server)
			}
			l.end()
		})
	}
}

// testChanges changes, renames and deletes files while the server runs.
func testChanges(s *study) {
	l := s.begin()
	l.finds("GreetVisitor", "src/greet.go")
	l.finds("zanzibar") // excluded by .gitignore
	l.ready()
	s.write(map[string]string{"src/greet.go": "package src\n\n// WelcomeGuest is its new name.\nfunc WelcomeGuest() {}\n", "src/deep/new/wave.go": "package wave\n\nfunc WaveTurtle() {}\n"})
	l.finds("WelcomeGuest", "src/greet.go")
	l.finds(`"GreetVisitor"`)
	l.finds("WaveTurtle", "src/deep/new/wave.go")
	apptest.Must(s.t, os.Rename(filepath.Join(s.project, "src/deep"), filepath.Join(s.project, "src/moved")))
	l.finds("WaveTurtle", "src/moved/new/wave.go")
	apptest.Must(s.t, os.Remove(filepath.Join(s.project, "src/greet.go")))
	l.finds(`"WelcomeGuest"`)
	s.write(map[string]string{".gitignore": "docs/opening.md\n"})
	l.finds("zanzibar", "private/notes.md")
	l.finds("holidays")
	if status := l.ready(); !status.Watching || status.IndexAge != 0 {
		s.t.Errorf("the index is %+v", status)
	}
	l.end()

	// A change without a running server is detected at the next start.
	apptest.Must(s.t, os.RemoveAll(filepath.Join(s.project, "src/moved")))
	s.write(map[string]string{"docs/opening.md": "# Opening\n\nNever on a flamingo day.\n", ".gitignore": ""})
	l = s.begin()
	l.finds("flamingo", "docs/opening.md")
	l.finds(`"WaveTurtle"`)
	l.end()
}

// testJapanese searches words of one to four characters, in files of several encodings.
func testJapanese(s *study) {
	text := "# 受付\n\n予約の検証は画面で行う。顧客名簿は倉庫にある。ﾒﾓは不要。\n"
	encoded := map[string]string{}
	for name, e := range map[string]interface{ String(string) (string, error) }{"sjis.txt": japanese.ShiftJIS.NewEncoder(), "euc.txt": japanese.EUCJP.NewEncoder()} {
		data, err := e.String(text)
		apptest.Must(s.t, err)
		encoded["old/"+name] = data
	}
	s.write(encoded)
	l := s.begin()
	for query, want := range map[string][]string{
		"検証": {"old/euc.txt", "old/sjis.txt"}, "証": {"old/euc.txt", "old/sjis.txt"}, "倉": {"old/euc.txt", "old/sjis.txt"}, "顧客名簿": {"old/euc.txt", "old/sjis.txt"},
		"メモ": {"old/euc.txt", "old/sjis.txt"}, "ﾒﾓ": {"old/euc.txt", "old/sjis.txt"}, "\"予約の検証\"": {"old/euc.txt", "old/sjis.txt"},
		"貸": {"docs/利用案内.md"}, "確認": {"docs/利用案内.md"}, "延滞": {"docs/利用案内.md"}, "二週間": {"docs/利用案内.md"}, "返却期限": {"docs/利用案内.md"}, "ユーザー登録": {"docs/利用案内.md"},
		"限": {"docs/利用案内.md"}, "象": nil,
	} {
		slices.Sort(want)
		l.finds(query, want...)
	}
	found := consult[search.DocumentsResult](s.t, l.client, "searchDocuments", search.DocumentsArgs{Query: "顧客名簿", Limit: 1})
	if len(found.Results) != 1 || !strings.Contains(found.Results[0].Content, "顧客名簿は倉庫にある") {
		s.t.Errorf("what is shown is %+v", found.Results)
	}
	l.end()
}

// testTwoSearchers runs two servers in one project. One owns the index and the other one reads it, and takes it over when the first
// ends.
func testTwoSearchers(s *study) {
	first := s.begin()
	first.finds("GreetVisitor", "src/greet.go")
	first.ready()
	second := s.beginAs("claude-ai", nil, "mcp-server", "--stdio", "--project", s.project)
	second.finds("GreetVisitor", "src/greet.go")
	second.finds("延滞", "docs/利用案内.md")
	s.write(map[string]string{"src/later.go": "package src\n\nfunc LaterOwl() {}\n"})
	first.finds("\"LaterOwl\"", "src/later.go")
	second.finds("\"LaterOwl\"", "src/later.go")
	if status := consult[search.IndexStatus](s.t, second.client, "get_index_status", nil); status.Files == 0 || status.State == "failed" || slices.ContainsFunc(status.Plugins, func(p search.PluginStatus) bool { return p.Name == "filesystem" && !p.Healthy }) {
		s.t.Errorf("the second server says %+v", status)
	}
	first.end()
	s.write(map[string]string{"src/last.go": "package src\n\nfunc LastOwl() {}\n", "src/later.go": "package src\n"})
	second.finds("\"LastOwl\"", "src/last.go")
	second.finds(`"LaterOwl"`)
	// The second server owns the index now. A third one finds the files that it has indexed.
	consult[search.RefreshResult](s.t, second.client, "refresh_index", nil)
	third := s.begin()
	third.finds("\"LastOwl\"", "src/last.go")
	third.end()
	second.kill()
	fourth := s.begin()
	fourth.finds("\"LastOwl\"", "src/last.go")
	s.write(map[string]string{"src/fourth.go": "package src\n\nfunc FourthOwl() {}\n"})
	fourth.finds("\"FourthOwl\"", "src/fourth.go")
	fourth.end()
}
