package fs_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func (p project) info(t testing.TB) fs.ProjectInfo {
	t.Helper()
	got, err := p.ProjectInfo(t.Context(), fs.ProjectInfoArgs{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestProjectInfo_LanguageAndFramework(t *testing.T) {
	tests := []struct {
		name, language, framework string
		files                     map[string]string
	}{
		{"nothing", "", "", map[string]string{"README.md": ""}},
		{"Go", "Go", "", map[string]string{"go.mod": "module x\n", "a.go": "", "b.go": "", "web/a.js": "", "web/b.js": "", "web/c.js": ""}},
		{"Gin", "Go", "Gin", map[string]string{"go.mod": "module x\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n\tgithub.com/labstack/echo/v4 v4.0.0 // indirect\n)\n"}},
		{"Echo", "Go", "Echo", map[string]string{"go.mod": "module x\nrequire github.com/labstack/echo/v4 v4.0.0\n", "main.go": ""}},
		{"Next.js", "TypeScript", "Next.js", map[string]string{"package.json": `{"dependencies": {"react": "18", "next": "14"}}`, "tsconfig.json": "{}", "app/page.tsx": "", "next.config.js": ""}},
		{"React", "JavaScript", "React", map[string]string{"package.json": `{"devDependencies": {"vite": "5"}, "dependencies": {"react": "18", "react-dom": "18"}}`, "src/App.jsx": ""}},
		{"Vue", "Vue", "Vue", map[string]string{"package.json": `{"dependencies": {"vue": "3"}}`, "src/App.vue": "", "src/B.vue": "", "vite.config.js": ""}},
		{"Svelte", "Svelte", "Svelte", map[string]string{"package.json": `{"devDependencies": {"svelte": "4"}}`, "src/App.svelte": ""}},
		{"Angular", "TypeScript", "Angular", map[string]string{"package.json": `{"dependencies": {"@angular/core": "17"}}`, "a.ts": ""}},
		{"NestJS before Express", "TypeScript", "NestJS", map[string]string{"package.json": `{"dependencies": {"express": "4", "@nestjs/core": "10"}}`, "a.ts": ""}},
		{"Express", "JavaScript", "Express", map[string]string{"package.json": `{"dependencies": {"express": "4"}, "scripts": {"next": "next"}, "name": "vue"}`, "a.js": ""}},
		{"Django by requirements", "Python", "Django", map[string]string{"requirements.txt": "# flask\nDjango==5.0 ; python_version > '3'\n", "manage.py": ""}},
		{"FastAPI by pyproject", "Python", "FastAPI", map[string]string{"pyproject.toml": "[project]\ndependencies = [\n  \"fastapi[all]>=0.1\",\n]\n", "a.py": ""}},
		{"Flask by poetry", "Python", "Flask", map[string]string{"pyproject.toml": "[tool.poetry.dependencies]\nflask = \"^3\"\nflask-login = \"*\"\n", "a.py": ""}},
		{"not Flask", "Python", "", map[string]string{"requirements.txt": "flask-login\n", "a.py": ""}},
		{"Axum", "Rust", "Axum", map[string]string{"Cargo.toml": "[dependencies]\naxum = \"0.7\"\n", "src/main.rs": ""}},
		{"Actix as a table", "Rust", "Actix Web", map[string]string{"Cargo.toml": "[dependencies.actix-web]\nversion = \"4\"\n", "src/main.rs": ""}},
		{"Rails", "Ruby", "Ruby on Rails", map[string]string{"Gemfile": "gem 'rails', '~> 7'\n", "config.rb": ""}},
		{"Spring by Maven", "Java", "Spring Boot", map[string]string{"pom.xml": "<parent><artifactId>spring-boot-starter-parent</artifactId></parent>", "src/A.java": ""}},
		{"Spring by Gradle", "Kotlin", "Spring Boot", map[string]string{"build.gradle.kts": "plugins { id(\"org.springframework.boot\") version \"3\" }", "src/A.kt": "", "src/B.kt": ""}},
		{"Android", "Kotlin", "Android", map[string]string{"build.gradle": "// com.ignored", "app/build.gradle": "plugins { id 'com.android.application' }", "app/A.kt": "", "app/B.kt": ""}},
		{"Swift", "Swift", "Vapor", map[string]string{"Package.swift": ".product(name: \"Vapor\", package: \"vapor\")", "Sources/a.swift": "", "Sources/b.swift": ""}},
		{"ASP.NET", "C#", "ASP.NET Core", map[string]string{"web/web.csproj": `<Project Sdk="Microsoft.NET.Sdk.Web"></Project>`, "web/a.cs": ""}},
		{"Laravel", "PHP", "Laravel", map[string]string{"composer.json": `{"require": {"php": "^8", "laravel/framework": "^11"}}`, "a.php": ""}},
		{"Symfony", "PHP", "Symfony", map[string]string{"composer.json": `{"require": {"symfony/framework-bundle": "7"}}`, "a.php": ""}},
		{"Flutter", "Dart", "Flutter", map[string]string{"pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n", "lib/main.dart": ""}},
		{"Unity", "C#", "Unity", map[string]string{"ProjectSettings/ProjectVersion.txt": "m_EditorVersion: 2022.3.1f1\n", "Assets/a.cs": "", "Assembly.csproj": "<Project/>"}},
		{"Phoenix", "Elixir", "Phoenix", map[string]string{"mix.exs": "{:phoenix, \"~> 1.7\"}", "lib/a.ex": ""}},
		{"the language of the code first", "Go", "Gin", map[string]string{
			"package.json": `{"dependencies": {"react": "18"}}`, "go.mod": "require github.com/gin-gonic/gin v1\n", "a.go": "", "b.go": "", "c.go": "", "x.js": "",
		}},
		{"nearest to the top", "TypeScript", "Vue", map[string]string{
			"apps/web/package.json": `{"dependencies": {"react": "18"}}`, "docs/package.json": `{"dependencies": {"vue": "3"}}`, "a.ts": "",
		}},
		{"malformed", "JavaScript", "", map[string]string{"package.json": `{"dependencies": ["next", {`, "composer.json": `{"require": 1}`, "a.js": ""}},
		{"hostile", "JavaScript", "", map[string]string{"package.json": strings.Repeat(`{"dependencies":`, 20_000), "go.mod": strings.Repeat("\x00\xff", 1000), "a.js": ""}},
		{"too large", "JavaScript", "", map[string]string{"package.json": `{"dependencies": {"next": "14"}}` + strings.Repeat(" ", 600<<10), "a.js": ""}},
		{"ignored", "", "", map[string]string{".gitignore": "vendor\n", "vendor/package.json": `{"dependencies": {"next": "14"}}`, "vendor/a.js": ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := newProject(t, setup{}, tt.files).info(t)
			if got.Language != tt.language || got.Framework != tt.framework {
				t.Errorf("got %q and %q, want %q and %q", got.Language, got.Framework, tt.language, tt.framework)
			}
		})
	}
}

func TestProjectInfo_GitBranch(t *testing.T) {
	commit := strings.Repeat("0123456789", 4)
	tests := []struct {
		name, want string
		files      map[string]string
	}{
		{"none", "", nil},
		{"branch", "main", map[string]string{".git/HEAD": "ref: refs/heads/main\n"}},
		{"branch with slashes", "feature/日本", map[string]string{".git/HEAD": "ref: refs/heads/feature/日本"}},
		{"commit", "012345678901", map[string]string{".git/HEAD": commit + "\n"}},
		{"work tree", "side", map[string]string{".git": "gitdir: repo.git/worktrees/x\n", "repo.git/worktrees/x/HEAD": "ref: refs/heads/side\n"}},
		{"work tree of an absolute path", "side", map[string]string{".git": "gitdir: {dir}/repo.git/worktrees/x\n", "repo.git/worktrees/x/HEAD": "ref: refs/heads/side\n"}},
		{"work tree outside", "", map[string]string{".git": "gitdir: ../repo.git\n"}},
		{"work tree far outside", "", map[string]string{".git": "gitdir: /etc\n"}},
		{"secrets", "", map[string]string{".git": "gitdir: .env\n", ".env/HEAD": "ref: refs/heads/secret\n"}},
		{"empty", "", map[string]string{".git/HEAD": ""}},
		{"control characters", "", map[string]string{".git/HEAD": "ref: refs/heads/\x1b[31m\n"}},
		{"too long", "", map[string]string{".git/HEAD": "ref: refs/heads/" + strings.Repeat("x", 300)}},
		{"too large", "", map[string]string{".git/HEAD": "ref: refs/heads/x" + strings.Repeat("\n", 5000)}},
		{"a directory", "", map[string]string{".git/HEAD/": ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, setup{}, nil)
			for name, content := range tt.files {
				p.put(t, name, strings.ReplaceAll(content, "{dir}", filepath.ToSlash(p.dir)))
			}
			if got := p.info(t).GitBranch; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProjectInfo_Server(t *testing.T) {
	p := newProject(t, setup{answer: 1000, maxFile: 2000, readOnly: true, options: fs.Options{Project: fs.Project{
		Name: "shop", Settings: map[string]any{"theme": "dark"}, Toolsets: []string{"fs", "telemetry"},
	}}}, map[string]string{"main.go": ""})
	got := p.info(t)
	if !filepath.IsAbs(filepath.FromSlash(got.RootPath)) || got.Roots[0] != got.RootPath || len(got.Roots) != 1 {
		t.Errorf("the roots are %s, %v", got.RootPath, got.Roots)
	}
	asJSON, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"shop","rootPath":"DIR","settings":{"theme":"dark"},"language":"Go","roots":["DIR"],"readOnly":true,` +
		`"limits":{"answer":1000,"maxAnswer":10000000,"maxFile":2000},"toolsets":["fs","telemetry"]}`
	if got := strings.ReplaceAll(string(asJSON), got.RootPath, "DIR"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	text := strings.ReplaceAll(got.TextContent(), got.RootPath, "DIR")
	if want := "project: shop\nroot: DIR\nlanguage: Go\naccess: read-only\ntoolsets: fs, telemetry\n" +
		"limits: answers of 1000 bytes, or up to 10000000 where a call can ask for more; files of 2000\n"; text != want {
		t.Errorf("got  %q\nwant %q", text, want)
	}

	bare := newProject(t, setup{}, nil).info(t)
	if asJSON, err := json.Marshal(bare); err != nil || !strings.Contains(string(asJSON), `"settings":{}`) || bare.Name != filepath.Base(bare.RootPath) {
		t.Errorf("got %s: %v", asJSON, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.ProjectInfo(ctx, fs.ProjectInfoArgs{})
	toolsettest.WantError(t, err, "CANCELLED")
}

func TestProjectInfo_Roots(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{first, second}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(second, "needle.go"), []byte("needle\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := project{Files: files, dir: first}
	info := p.info(t)
	if len(info.Roots) != 2 || !strings.Contains(info.TextContent(), "also: "+info.Roots[1]+"\n") {
		t.Errorf("the roots are %v", info.Roots)
	}
	// A file in another root is found by a path that other calls accept.
	want := info.Roots[1] + "/needle.go"
	if got := p.find(t, fs.SearchFilesArgs{Pattern: info.Roots[1] + "/*.go", Path: info.Roots[1]}); foundPaths(got) != want {
		t.Errorf("search_files: got %s, want %s", foundPaths(got), want)
	}
	if got := p.grep(t, fs.SearchContentArgs{Pattern: "needle", Path: info.Roots[1]}); outline(got) != want+":1" {
		t.Errorf("search_content: got %s, want %s", outline(got), want)
	}
	if got := p.structure(t, fs.WorkspaceStructureArgs{Path: second}); len(got.Root.Children) != 1 || got.Root.Children[0].Path != want || got.Root.Name != filepath.Base(second) {
		t.Errorf("get_workspace_structure: got %+v, want %s", got.Root, want)
	}
}
