package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app/apptest"
	toolfs "github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/transport"
)

// cleanProject are the files of a project in the tests of this file.
var cleanProject = map[string]string{
	"go.mod":    "module example.com/clean\n\ngo 1.26\n",
	"src/a.go":  "package src\n\n// Hello greets.\nfunc Hello() string { return \"hello\" }\n",
	"README.md": "# Clean\n\nA text about hello.\n", "mcp.json": `{"mcpServers": {}}`,
}

// work is a server at work on a project.
type work struct {
	t      *testing.T
	client *mcp.Client
}

// call calls a tool, which must succeed, and returns its text.
func (w work) call(tool string, args map[string]any) string {
	w.t.Helper()
	text, err := mcp.Call[string](w.t.Context(), w.client, tool, args)
	if err != nil {
		w.t.Fatalf("%s %v: %v", tool, args, err)
	}
	return text
}

// deleteAndRestore deletes a file and moves it back from the trash.
func (w work) deleteAndRestore() {
	w.t.Helper()
	deleted, err := mcp.Call[toolfs.DeleteResult](w.t.Context(), w.client, "delete_file", map[string]any{"path": "README.md"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.call("move_file", map[string]any{"source": deleted.TrashPath, "destination": "README.md"})
}

// cleanPrograms are the programs, with flags and work that leaves every file of the project as it was.
var cleanPrograms = []struct {
	name, example string
	flags         []string
	commands      [][]string
	work          func(w work)
}{
	{"chunks", "chunks", nil, [][]string{{"index"}, {"map"}}, func(w work) {
		w.call("analyze_project", map[string]any{"projectPath": "."})
		w.call("list_functions_in_file", map[string]any{"filePath": "src/a.go"})
	}},
	{"chunks-sqlite", "chunks", []string{"-store", "sqlite", "-graph"}, nil, func(w work) {
		w.call("analyze_project", map[string]any{"projectPath": "."})
	}},
	{"cqm", "cqm", nil, [][]string{{"status"}, {"search", "hello"}}, func(w work) {
		w.call("refresh_index", nil)
		w.call("searchDocuments", map[string]any{"query": "hello"})
	}},
	{"cursorcli", "cursorcli", []string{"-logging-outputs", "file,console"}, nil, func(w work) {
		w.call("read_file", map[string]any{"path": "src/a.go"})
		w.deleteAndRestore()
	}},
	{"cursorcli-all", "cursorcli", []string{"-profile", "all"}, nil, func(w work) {
		w.call("searchDocuments", map[string]any{"query": "hello"})
		w.call("execute_command", map[string]any{"command": "echo hello"})
		w.call("create_group", map[string]any{"description": "clean"})
		w.deleteAndRestore()
	}},
	{"editor", "editor", []string{"-editors", "[]"}, nil, func(w work) {
		w.call("write_file", map[string]any{"path": "README.md", "content": cleanProject["README.md"]})
		w.call("execute_command", map[string]any{"command": "echo hello"})
		w.call("get_diagnostics", map[string]any{"path": "README.md"})
	}},
	{"gateway", "gateway", nil, nil, func(work) {}},
	{"kuromajutsu", "kuromajutsu", []string{"-port", "0"}, nil, func(w work) {
		w.call("create_group", map[string]any{"description": "clean"})
		w.call("list_agents", nil)
	}},
}

// TestCleanProject runs every program in a git repository and in a directory without git. Then git reports no change, and
// the tools that list files show the files of the project alone.
func TestCleanProject(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	built := map[string]string{}
	for _, name := range []string{"chunks", "cqm", "cursorcli", "editor", "gateway", "kuromajutsu"} {
		built[name] = build(t, examples+"/"+name)
	}
	for _, program := range cleanPrograms {
		for _, repository := range []bool{true, false} {
			name := program.name + "/without git"
			if repository {
				name = program.name + "/git"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := newCleanRun(t, repository, git)
				for _, command := range program.commands {
					c.run(built[program.example], command...)
				}
				// The first start makes the default files, and the second finds them.
				for range 2 {
					client := c.connect(built[program.example], append([]string{"serve"}, program.flags...)...)
					program.work(work{t, client})
					apptest.Must(t, client.Close())
				}
				c.run(built[program.example], append([]string{"tools"}, program.flags...)...)
				if repository {
					if out := c.run(git, "status", "--porcelain"); out != "" {
						t.Errorf("git reports\n%s", out)
					}
				}
				c.showsOnlyProject(built["cursorcli"])
			})
		}
	}
}

// TestCleanProject_UsersFiles runs the programs in a project that has files of the user at their default places.
func TestCleanProject_UsersFiles(t *testing.T) {
	t.Parallel()
	c := newCleanRun(t, false, "")
	own := map[string]string{
		"logs/audit.log": "a line of the user\n", "logs/server.log": "x\n", "data/chunks/corpus.txt": "y\n",
		"data/chunks/.gitignore": "# of the user\n", ".cursorcli-mcp/.gitignore": "# mine\n",
	}
	apptest.Write(t, c.project, own)
	for _, program := range []struct{ name, tool string }{{"cursorcli", "list_directory"}, {"editor", "list_directory"}, {"chunks", "analyze_project"}} {
		client := c.connect(build(t, examples+"/"+program.name), "serve")
		args := map[string]any{"path": "logs"}
		if program.name == "chunks" {
			args = map[string]any{"projectPath": "."}
		}
		work{t, client}.call(program.tool, args)
		apptest.Must(t, client.Close())
	}
	for name, want := range own {
		got, err := os.ReadFile(filepath.Join(c.project, name))
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(c.project, "logs", ".gitignore")); err == nil {
		t.Error("the directory of the user's logs has got a .gitignore")
	}
}

// TestCleanProject_Answers lets the programs make their files beside files of the user in the same directories. No tool shows
// the files of the programs, and every tool shows the files of the user.
func TestCleanProject_Answers(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	own := []string{".cursorcli-mcp/config.json", "logs/audit.log", "data/chunks/chunks.jsonl"}
	for _, repository := range []bool{true, false} {
		name := "without git"
		if repository {
			name = "git"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCleanRun(t, repository, git)
			apptest.Write(t, c.project, map[string]string{"logs/app.log": "zebra of the user\n", "data/corpus.md": "# Zebra\n\nA zebra of the user.\n"})
			for _, program := range cleanPrograms {
				if !slices.Contains([]string{"cursorcli", "editor", "chunks"}, program.name) {
					continue
				}
				client := c.connect(build(t, examples+"/"+program.example), append([]string{"serve"}, program.flags...)...)
				program.work(work{t, client})
				apptest.Must(t, client.Close())
			}
			for _, name := range own {
				if _, err := os.Stat(filepath.Join(c.project, filepath.FromSlash(name))); err != nil {
					t.Fatalf("the programs have not made %s: %v", name, err)
				}
			}
			client := c.connect(build(t, examples+"/cursorcli"), "serve", "-read-only", "-profile", "all", "-tools-allowed-tools", "list_directory,search_files,get_workspace_structure,search_content,searchDocuments,getProjectContext,get_repo_map")
			defer client.Close()
			all := map[string]any{"path": ".", "recursive": true, "includeHidden": true, "includeIgnored": true}
			for _, call := range []struct {
				tool  string
				args  map[string]any
				shows string
			}{
				{"list_directory", all, "app.log"},
				{"search_files", map[string]any{"pattern": "**", "includeIgnored": true}, "app.log"},
				{"get_workspace_structure", map[string]any{}, "app.log"},
				{"search_content", map[string]any{"pattern": "zebra|operation|createDirectories|Hello|version", "includeIgnored": true}, "app.log"},
				{"searchDocuments", map[string]any{"query": "zebra"}, "corpus.md"},
				{"searchDocuments", map[string]any{"query": "operation write_file"}, ""},
				{"getProjectContext", map[string]any{}, ""},
				{"get_repo_map", map[string]any{}, "a.go"},
			} {
				text := work{t, client}.call(call.tool, call.args)
				for _, name := range append(own, ".gitignore", "audit.log", "chunks.jsonl", "config.json", "server.log") {
					if strings.Contains(text, name) {
						t.Errorf("%s shows %s:\n%s", call.tool, name, text)
					}
				}
				if !strings.Contains(text, call.shows) {
					t.Errorf("%s does not show %s:\n%s", call.tool, call.shows, text)
				}
			}
		})
	}
}

// TestCleanProject_HomeDirectory starts the programs in the home directory, in which they make no file but those of the
// directories for settings, caches and state.
func TestCleanProject_HomeDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"chunks", "cqm", "cursorcli", "editor", "gateway", "kuromajutsu"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCleanRun(t, false, "")
			c.project = c.home
			args := []string{"serve"}
			if name == "kuromajutsu" {
				args = append(args, "-port", "0")
			}
			cmd := exec.CommandContext(t.Context(), build(t, examples+"/"+name), args...)
			cmd.Dir, cmd.Env = c.project, c.environ
			out, err := cmd.CombinedOutput() // some of them refuse to start there
			t.Logf("%v\n%s", err, out)
			entries, err := os.ReadDir(c.home)
			apptest.Must(t, err)
			for _, e := range entries {
				if !slices.Contains([]string{".cache", ".config", ".state"}, e.Name()) {
					t.Errorf("it has made %s", e.Name())
				}
			}
		})
	}
}

// cleanRun runs programs in a project, with a home directory of its own.
type cleanRun struct {
	t             *testing.T
	project, home string
	environ       []string
}

func newCleanRun(t *testing.T, repository bool, git string) *cleanRun {
	t.Helper()
	s := newStudy(t, "", cleanProject)
	c := &cleanRun{t, s.project, s.home, append(s.environ, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")}
	if repository {
		c.run(git, "init", "-q")
		c.run(git, "add", "-A")
		c.run(git, "commit", "-q", "-m", "x")
	}
	return c
}

// run runs a command, which must succeed, and returns its standard output.
func (c *cleanRun) run(program string, args ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), program, args...)
	cmd.Dir, cmd.Env = c.project, c.environ
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return string(out)
}

func (c *cleanRun) connect(program string, args ...string) *mcp.Client {
	c.t.Helper()
	client, err := meet(c.t, transport.Command{Path: program, Args: args, Dir: c.project, Environ: c.environ}, "e2e", "")
	if err != nil {
		c.t.Fatalf("%s %q: %v", program, args, err)
	}
	return client
}

// showsOnlyProject lists and searches all files with the tools of cursorcli, hidden and ignored ones included.
func (c *cleanRun) showsOnlyProject(cursorcli string) {
	c.t.Helper()
	client := c.connect(cursorcli, "serve", "-read-only")
	defer client.Close()
	all := map[string]any{"path": ".", "recursive": true, "includeHidden": true, "includeIgnored": true, "pattern": "**"}
	for tool, names := range map[string][]string{
		"list_directory": {"path", "recursive", "includeHidden", "includeIgnored"},
		"search_files":   {"pattern", "includeIgnored"}, "get_workspace_structure": nil,
	} {
		args := map[string]any{}
		for _, name := range names {
			args[name] = all[name]
		}
		c.t.Logf("%s", tool)
		text := work{c.t, client}.call(tool, args)
		for _, foreign := range []string{".cursorcli-mcp", "logs", "data", "chunks", "audit", ".dougu", "config.json", "index"} {
			if strings.Contains(text, foreign) {
				c.t.Errorf("%s shows %s:\n%s", tool, foreign, text)
			}
		}
		if !strings.Contains(text, "a.go") {
			c.t.Errorf("%s shows\n%s", tool, text)
		}
	}
	var rest []string
	err := filepath.WalkDir(c.project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == c.project {
			return err
		}
		rel, err := filepath.Rel(c.project, path)
		top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if _, known := cleanProject[filepath.ToSlash(rel)]; !known && !slices.Contains([]string{".git", ".cursorcli-mcp", "src", "logs", "data"}, top) {
			rest = append(rest, rel)
		}
		return err
	})
	if err != nil || len(rest) > 0 {
		c.t.Errorf("in the project are %q, %v", rest, err)
	}
}
