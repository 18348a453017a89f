package build_test

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/terminal/build"
)

// tree are files in memory: lines of "name" or "name: content".
type tree string

func (t tree) files() fstest.MapFS {
	all := fstest.MapFS{}
	for line := range strings.Lines(string(t)) {
		name, content, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name != "" {
			all[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(content, "⏎", "\n"))}
		}
	}
	return all
}

func (t tree) ReadFile(name string) ([]byte, error) { return t.files().ReadFile(name) }

func (t tree) ReadDir(name string) ([]string, error) {
	entries, err := t.files().ReadDir(name)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	slices.Reverse(names)
	return names, err
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name  string
		files tree
		dir   string
		want  string
	}{
		{"go", "go.mod", ".", "go"},
		{"a workspace of go", "go.work", ".", "go"},
		{"go before its Makefile and its tools of JavaScript", "go.mod\nMakefile\npackage.json: {\"devDependencies\":{}}", ".", "go make npm"},
		{"npm", `package.json: {"scripts":{"build":"tsc"}}`, ".", "npm"},
		{"yarn by its lock file", "package.json: {}\nyarn.lock", ".", "yarn"},
		{"pnpm by the workspace above", "pnpm-lock.yaml\npackage.json: {}\npackages/a/package.json: {\"scripts\":{\"test\":\"vitest\"}}", "packages/a", "pnpm"},
		{"what packageManager names", "package.json: {\"packageManager\":\"yarn@4.1.0\"}\npackage-lock.json", ".", "yarn"},
		{"a broken package.json", "package.json: {", ".", "npm"},
		{"maven before its web pages", "pom.xml\npackage.json: {\"scripts\":{\"build\":\"vite build\"}}", ".", "maven npm"},
		{"gradle in Kotlin", "build.gradle.kts\nsettings.gradle.kts", ".", "gradle"},
		{"cargo", "Cargo.toml\nsrc/main.rs", ".", "cargo"},
		{"python by its file", "pyproject.toml\nMakefile", ".", "make python"},
		{"python with tests and no file", "main.py\ntest_main.py", ".", "python"},
		{"python with a directory of tests", "main.py\ntests/test_main.py", ".", "python"},
		{"cmake before what it made", "CMakeLists.txt\nMakefile", ".", "cmake make"},
		{"make", "GNUmakefile", ".", "make"},
		{"a project for the .NET SDK", `App.csproj: <Project Sdk="Microsoft.NET.Sdk"></Project>`, ".", "dotnet"},
		{"an old project of .NET", `App.csproj: <Project ToolsVersion="15.0"></Project>`, ".", "msbuild"},
		{"a project of C++", "App.vcxproj: <Project></Project>", ".", "msbuild"},
		{"a solution", "App.sln: Project(\"{F}\") = \"A\", \"A\\A.csproj\", \"{G}\"\nA/A.csproj: <Project Sdk=\"Microsoft.NET.Sdk\"/>", ".", "dotnet"},
		{"a solution with C++", "App.sln: Project(\"{F}\") = \"A\", \"A\\A.vcxproj\", \"{G}\"", ".", "msbuild"},
		{"swift before its project of Xcode", "Package.swift\nA.xcodeproj/project.pbxproj", ".", "swift xcodebuild"},
		{"xcode", "A.xcworkspace/contents\nA.xcodeproj/project.pbxproj", ".", "xcodebuild"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := build.Detect(c.files, c.dir)
			if err != nil || fmt.Sprint(got) != "["+c.want+"]" {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// planOf formats a plan as commands, with their directories if these are not the root.
func planOf(p build.Plan) string {
	var steps []string
	for _, s := range p.Steps {
		text := s.String()
		if s.Dir != "." {
			text = s.Dir + ": " + text
		}
		steps = append(steps, text)
	}
	return strings.Join(steps, " && ")
}

func TestPlans(t *testing.T) {
	const npm = tree("package.json: {\"scripts\":{\"build\":\"x\",\"test\":\"y\",\"build:prod\":\"z\",\"bad name\":\"\"}}\npackage-lock.json")
	for _, c := range []struct {
		name   string
		files  tree
		dir    string
		system build.System
		target string
		want   string
	}{
		{"npm", npm, ".", "", "", "npm run build"},
		{"npm test", npm, ".", "", "test", "npm run test"},
		{"npm for production", npm, ".", "auto", "prod", "npm run build:prod"},
		{"npm though it says yarn", npm, ".", "yarn", "build", "yarn run build"},
		{"types alone", "package.json: {}\ntsconfig.json", ".", "", "", "npx --no-install tsc --noEmit --pretty false"},
		{"types with pnpm", "package.json: {}\ntsconfig.json\npnpm-lock.yaml", ".", "", "", "pnpm exec tsc --noEmit --pretty false"},
		{"install", "package.json: {}", ".", "", "install", "npm install"},
		{"maven", "pom.xml", ".", "", "", "mvn -B -ntp package -DskipTests"},
		{"maven's wrapper and goals", "pom.xml\nmvnw\nmvnw.cmd", ".", "", "clean verify", "./mvnw -B -ntp clean verify"},
		{"a profile of maven", "pom.xml: <profile><id>prod</id></profile>", ".", "", "prod", "mvn -B -ntp package -DskipTests -Pprod"},
		{"gradle's wrapper above", "gradlew\ngradlew.bat\nsettings.gradle\napp/build.gradle", "app", "", "", "app: ../gradlew --console=plain --no-daemon assemble"},
		{"a task of gradle", "build.gradle", ".", "", ":app:test", "gradle --console=plain --no-daemon :app:test"},
		{"go", "go.mod", ".", "", "", "go build ./..."},
		{"go below its module", "go.mod\ncmd/x/main.go", "cmd/x", "go", "test", "cmd/x: go test -trimpath=false -fullpath ./..."},
		{"a package of go", "go.mod", ".", "", "./cmd/x", "go build ./cmd/x"},
		{"cargo", "Cargo.toml", ".", "", "release", "cargo build --release"},
		{"dotnet", "A.csproj: <Project Sdk=\"x\"/>", ".", "", "test", "dotnet test --nologo"},
		{"one of two", "A.csproj: <Project Sdk=\"x\"/>\nB.sln", ".", "", "prod", "dotnet build B.sln -c Release --nologo"},
		{"msbuild", "A.vcxproj", ".", "", "", "msbuild A.vcxproj -nologo -v:minimal -nodeReuse:false -restore -t:Build"},
		{"swift", "Package.swift", ".", "", "clean", "swift package clean"},
		{"xcodebuild", "A.xcodeproj/project.pbxproj", ".", "", "", "xcodebuild -project A.xcodeproj -scheme A build"},
		{"a shared scheme", "A.xcworkspace/xcshareddata/xcschemes/Dev.xcscheme", ".", "", "test", "xcodebuild -workspace A.xcworkspace -scheme Dev test"},
		{"a scheme as target", "A.xcworkspace/xcshareddata/xcschemes/Dev.xcscheme\nA.xcworkspace/xcshareddata/xcschemes/Fast.xcscheme", ".", "", "Fast build", "xcodebuild -workspace A.xcworkspace -scheme Fast build"},
		{"make's default", "Makefile: x:⏎⏎build_dir = y⏎", ".", "", "", "make"},
		{"make all", "Makefile: all: x", ".", "", "", "make all"},
		{"make build", "Makefile: .PHONY: build⏎build test: x⏎", ".", "", "", "make build"},
		{"make check", "Makefile: check:⏎", ".", "", "test", "make check"},
		{"cmake", "CMakeLists.txt", ".", "", "", "cmake -S . -B build && cmake --build build"},
		{"cmake's tests where it was built before", "CMakeLists.txt\n_build/CMakeCache.txt", ".", "", "test", "cmake -S . -B _build && cmake --build _build && _build: ctest --output-on-failure"},
		{"cmake for production", "CMakeLists.txt", ".", "", "prod", "cmake -S . -B build-release -DCMAKE_BUILD_TYPE=Release && cmake --build build-release --config Release"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := build.PlanOf(c.files, c.dir, c.system, c.target)
			got := planOf(plan)
			got = strings.NewReplacer(".cmd ", " ", ".bat ", " ").Replace(got) // program names on Windows
			if err != nil || got != c.want {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		files tree
		dir   string
		want  string
	}{
		{"pom.xml: <modules><module>a</module><module>../b</module><module>../../etc</module></modules>", ".", "a/target target"},
		{"m/pom.xml: <modules><module>../b</module></modules>", "m", "b/target m/target"},
		{"settings.gradle: include ':app', ':lib:core'⏎", ".", "app/build/distributions app/build/libs app/build/outputs build/distributions build/libs build/outputs lib/core/build/distributions lib/core/build/libs lib/core/build/outputs"},
		{"a/Cargo.toml\nCargo.toml: [workspace]", "a", "a/target/debug a/target/release target/debug target/release"},
		{"CMakeLists.txt", ".", "build"},
	} {
		plan, err := build.PlanOf(c.files, c.dir, "", "")
		if got := strings.Join(plan.Outputs, " "); err != nil || got != c.want {
			t.Errorf("%s: got %s, %v", c.files, got, err)
		}
	}
}

// A target is never an option, a variable or something for a shell.
func TestPlan_InvalidTargets(t *testing.T) {
	for _, files := range []tree{"Makefile", "pom.xml", "build.gradle", `package.json: {"scripts":{"-x":"","a b":"","a&b":""}}`, "go.mod", "Cargo.toml", "CMakeLists.txt", "A.vcxproj", "A.xcodeproj/x"} {
		for _, target := range []string{"-f/etc/passwd", "--eval=x", "build -Dx", "SHELL=/tmp/x", "CC=a b", "$(x)", "a&b", "a|b", "a;b", "`x`", "%PATH%", "a\"b", "a'b", "x>y", "@file", "a^b", "a\x00b", "a!b", strings.Repeat("x", 400), strings.Repeat("x ", 50)} {
			plan, err := build.PlanOf(files, ".", "", target)
			checkCode(t, err, "INVALID_PARAMS")
			if len(plan.Steps) > 0 {
				t.Errorf("%s: %q: %s", files, target, planOf(plan))
			}
		}
	}
}

func checkCode(t *testing.T, err error, code string) {
	t.Helper()
	known, ok := errors.AsType[*mcp.ToolError](err)
	if !ok || known.Code != code || known.Message == "" || known.Next == "" {
		t.Errorf("got %#v, not %s", err, code)
	}
}

func TestNoPlan(t *testing.T) {
	for _, c := range []struct {
		name            string
		files           tree
		system          build.System
		target          string
		code            string
		message, advice string
	}{
		{"nothing", "README.md", "", "", "NO_BUILD_SYSTEM", "pom.xml", "directory of the project"},
		{"one folder too high", "web/package.json: {}\napi/go.mod\n.git/Makefile", "", "", "NO_BUILD_SYSTEM", "go.mod", "api (go), web (npm)"},
		{"another system", "go.mod", "maven", "", "NO_BUILD_SYSTEM", "maven", "go"},
		{"another system and none", "README.md", "maven", "", "NO_BUILD_SYSTEM", "maven", "directory of the project"},
		{"no such system", "go.mod", "bazel", "", "INVALID_PARAMS", "bazel", "cargo"},
		{"no such script", `package.json: {"scripts":{"lint":"","start":""}}`, "", "build", "INVALID_PARAMS", "build", "lint, start"},
		{"no scripts", `package.json: {}`, "", "build", "INVALID_PARAMS", "no scripts", "package.json"},
		{"no such verb", "Cargo.toml", "", "publish", "INVALID_PARAMS", "publish", "clippy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := build.PlanOf(c.files, ".", c.system, c.target)
			checkCode(t, err, c.code)
			known, _ := errors.AsType[*mcp.ToolError](err)
			if !strings.Contains(known.Message, c.message) || !strings.Contains(known.Next, c.advice) {
				t.Errorf("%s | %s", known.Message, known.Next)
			}
		})
	}
	if _, err := build.PlanOf(tree("a"), "gone", "", ""); err == nil {
		t.Error("a directory that is not there has a plan")
	}
}

// Every system can be missing, with advice.
func TestToolMissing(t *testing.T) {
	for _, s := range build.Systems() {
		checkCode(t, build.ToolMissing(s, "x", nil), "BUILD_TOOL_MISSING")
	}
}

// Steps and outputs stay in the project for arbitrary files.
func FuzzPlan(f *testing.F) {
	f.Add("package.json", `{"scripts":{"build":"x"}}`, "build")
	f.Add("settings.gradle", "include 'a'", "x")
	f.Add("pom.xml", "<module>../..</module>", "clean")
	f.Add("Makefile", "all: x", "")
	f.Fuzz(func(t *testing.T, name, content, target string) {
		files := tree(strings.ReplaceAll("m/"+name+": "+strings.ReplaceAll(content, "\n", "⏎"), "\n", ""))
		plan, err := build.PlanOf(files, "m", "", target)
		if err != nil {
			return
		}
		for _, dir := range plan.Outputs {
			if path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") {
				t.Errorf("%q is outside", dir)
			}
		}
		for _, s := range plan.Steps {
			if s.Program == "" || !strings.HasPrefix(s.Dir, "m") {
				t.Errorf("%+v", s)
			}
		}
	})
}
