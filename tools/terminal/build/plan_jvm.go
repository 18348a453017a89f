package build

import (
	"bytes"
	"path"
	"strings"
)

// maven returns the plan for Maven. The options for one line per event exist since 3.6.1.
func (p planner) maven() []Step {
	args := []string{"-B", "-ntp"}
	for _, goal := range p.goals {
		switch goal {
		case goalBuild:
			args = append(args, "package", "-DskipTests")
		case goalProd:
			args = append(args, "package", "-DskipTests")
			if bytes.Contains(p.read("pom.xml"), []byte("<id>prod</id>")) {
				args = append(args, "-Pprod")
			}
		default:
			args = append(args, goal)
		}
	}
	return []Step{p.step(p.wrapper("mvnw", "mvnw.cmd", "mvn"), args...)}
}

// gradle plans for Gradle. A daemon would outlive the build, with its rights.
func (p planner) gradle() []Step {
	args := []string{"--console=plain", "--no-daemon"}
	for _, goal := range p.goals {
		switch goal {
		case goalBuild, goalProd: // its build has the tests in it
			args = append(args, "assemble")
		default:
			args = append(args, goal)
		}
	}
	return []Step{p.step(p.wrapper("gradlew", "gradlew.bat", "gradle"), args...)}
}

// wrapper is the script of the project that brings the builder, of this folder or
// of the project around it, or the installed program.
func (p planner) wrapper(unix, windows, installed string) string {
	name := unix
	if p.goos == "windows" {
		name = windows
	}
	for up, at := range p.above {
		if at.has(name) {
			if up == "" {
				up = "./"
			}
			return up + name
		}
	}
	if installed == "mvn" {
		return p.program(installed)
	}
	if p.goos == "windows" {
		return installed + ".bat"
	}
	return installed
}

// maxModules bounds how many modules' outputs are named.
const maxModules = 64

var (
	mavenModule   = pattern(`<module>\s*([^<\s][^<]{0,200}?)\s*</module>`)
	gradleInclude = pattern(`(?m)^[ \t]*include\b((?:[^\n]*,[ \t]*\n)*[^\n]*)`)
	gradleModule  = pattern(`["']:?([\w.:/-]{1,200})["']`)
)

func (p planner) mavenOutputs() []string {
	modules := []string{"."}
	for _, match := range mavenModule().FindAllSubmatch(p.read("pom.xml"), maxModules) {
		modules = append(modules, string(match[1]))
	}
	return p.outputsOf(modules, "target")
}

func (p planner) gradleOutputs() []string {
	modules := []string{"."}
	settings := p.read(p.first("settings.gradle", "settings.gradle.kts"))
	for _, include := range gradleInclude().FindAllSubmatch(settings, maxModules) {
		for _, match := range gradleModule().FindAllSubmatch(include[1], maxModules) {
			modules = append(modules, strings.ReplaceAll(string(match[1]), ":", "/"))
		}
	}
	return p.outputsOf(modules, "build/libs", "build/outputs", "build/distributions")
}

// outputsOf are the directories of the modules that lie in the project.
func (p planner) outputsOf(modules []string, names ...string) []string {
	var all []string
	for _, module := range modules[:min(len(modules), maxModules)] {
		dir := path.Join(p.dir, module)
		if dir == ".." || strings.HasPrefix(dir, "../") || strings.HasPrefix(module, "/") {
			continue
		}
		for _, name := range names {
			all = append(all, path.Join(dir, name))
		}
	}
	return all
}
