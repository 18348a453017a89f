package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Detect returns the build systems of a directory, the most specific first: systems of one language before general builders,
// then Python, which needs no build file, and last a package.json without scripts. The error is NO_BUILD_SYSTEM if there is
// none, and FILE_NOT_FOUND if the directory cannot be read.
func Detect(files Files, dir string) ([]System, error) {
	f, err := open(files, dir)
	if err != nil {
		return nil, fmt.Errorf("looking for a build system in %s: %w", quote(dir), err)
	}
	found := f.systems()
	if len(found) == 0 {
		return nil, noSystem(f.elsewhere(), "%s has no build system that is known: there is none of %s", quote(f.dir), looked)
	}
	return found, nil
}

// looked lists the files that Detect looks for, for messages.
const looked = "package.json, pom.xml, build.gradle(.kts), *.sln, *.*proj, go.mod, Cargo.toml, Package.swift, *.xcodeproj, CMakeLists.txt, Makefile, pyproject.toml, setup.py, requirements.txt, test_*.py"

// Names of build files.
var (
	gradleFiles = []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew"}
	makefiles   = []string{"GNUmakefile", "makefile", "Makefile"} // as GNU make looks for them
	solutions   = []string{".sln", ".slnx"}
	netProjects = []string{".csproj", ".fsproj", ".vbproj"}
	xcodeFiles  = []string{".xcworkspace", ".xcodeproj"}
)

// systems returns the build systems of the folder.
func (f folder) systems() []System {
	var found []System
	add := func(there bool, s System) {
		if there {
			found = append(found, s)
		}
	}
	node, scripts := f.nodeSystem()
	add(f.has(gradleFiles...), Gradle)
	add(f.has("pom.xml"), Maven)
	add(f.has("Cargo.toml"), Cargo)
	add(f.has("go.mod", "go.work"), Go)
	if s := f.microsoft(); s != "" {
		found = append(found, s)
	}
	add(f.has("Package.swift"), Swift)
	add(len(f.ending(xcodeFiles...)) > 0, Xcodebuild)
	add(node != "" && scripts, node)
	add(f.has("CMakeLists.txt"), CMake)
	add(f.has(makefiles...), Make)
	add(f.isPython(), Python)
	add(node != "" && !scripts, node)
	return found
}

// elsewhere describes the build systems of the folders below, for an error.
func (f folder) elsewhere() string {
	const most, mention = 100, 6
	var below []string
	for _, name := range f.names[:min(len(f.names), most)] {
		if strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || len(below) == mention {
			continue
		}
		sub, err := open(f.files, path.Join(f.dir, name))
		if err != nil {
			continue
		}
		if found := sub.systems(); len(found) > 0 {
			below = append(below, fmt.Sprintf("%s (%s)", sub.dir, found[0]))
		}
	}
	if len(below) == 0 {
		return "Name the directory of the project to build, or run its build with execute_command."
	}
	return "Name one of these as the project to build: " + strings.Join(below, ", ") + "."
}

// manifest is the part of a package.json that concerns building.
type manifest struct {
	Scripts        map[string]any `json:"scripts"`
	PackageManager any            `json:"packageManager"`
	Workspaces     any            `json:"workspaces"`
}

func (f folder) manifest() (manifest, bool) {
	var m manifest
	if !f.has("package.json") {
		return m, false
	}
	// One that cannot be read is npm's to complain about.
	json.Unmarshal(f.read("package.json"), &m)
	return m, true
}

// nodeSystem returns the package manager of a folder with a package.json, otherwise "". scripts means that the package can be
// built or tested.
func (f folder) nodeSystem() (s System, scripts bool) {
	m, ok := f.manifest()
	if !ok {
		return "", false
	}
	for _, script := range []string{"build", "test"} {
		if _, ok := m.Scripts[script]; ok {
			scripts = true
		}
	}
	return f.packageManager(), scripts
}

// packageManager returns the package manager that the package.json of the folder or of its workspace names. Otherwise it
// returns the one whose lock file exists, or npm.
func (f folder) packageManager() System {
	for _, at := range f.above {
		if m, ok := at.manifest(); ok {
			name, _ := m.PackageManager.(string)
			name, _, _ = strings.Cut(name, "@")
			if s := System(name); s == NPM || s == Yarn || s == PNPM {
				return s
			}
		}
		switch at.first("pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", "package-lock.json", "npm-shrinkwrap.json") {
		case "pnpm-lock.yaml", "pnpm-workspace.yaml":
			return PNPM
		case "yarn.lock":
			return Yarn
		case "package-lock.json", "npm-shrinkwrap.json":
			return NPM
		}
	}
	return NPM
}

// sdkStyle matches the beginning of a project file that `dotnet build` can build.
var sdkStyle = pattern(`(?i)<Project[^>]{0,500}\sSdk\s*=|<Sdk\s+Name\s*=|<Import[^>]{0,500}\sSdk\s*=`)

// solutionProject is a project in a solution, of either format.
var solutionProject = pattern(`(?i)"([^"\r\n]{1,300}\.([a-z]{2,4}proj))"`)

// microsoft distinguishes projects for the .NET SDK from projects for the full MSBuild.
func (f folder) microsoft() System {
	if len(f.ending(".vcxproj")) > 0 {
		return MSBuild
	}
	projects := f.ending(netProjects...)
	all := f.ending(solutions...)
	for _, solution := range all {
		for _, match := range solutionProject().FindAllSubmatch(f.read(solution), 50) {
			if strings.EqualFold(string(match[2]), "vcxproj") {
				return MSBuild
			}
			projects = append(projects, strings.ReplaceAll(string(match[1]), `\`, "/"))
		}
	}
	for _, name := range projects[:min(len(projects), 50)] {
		if text := f.read(name); bytes.Contains(text, []byte("<Project")) && !sdkStyle().Match(text) {
			return MSBuild
		}
	}
	if len(projects)+len(all) == 0 {
		return ""
	}
	return Dotnet
}

// belongs reports whether a system can build the folder although Detect prefers another one.
func (f folder) belongs(s System) bool {
	switch s {
	case NPM, Yarn, PNPM:
		return f.has("package.json")
	case MSBuild, Dotnet:
		return f.microsoft() != "" || s == MSBuild && len(f.ending("proj")) > 0
	case Go, Cargo: // they search the parent folders
		for _, at := range f.above {
			if slices.Contains(at.systems(), s) {
				return true
			}
		}
		return false
	}
	return slices.Contains(f.systems(), s)
}
