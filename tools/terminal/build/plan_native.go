package build

import (
	"path"
	"slices"
	"strings"
)

// makeTarget matches a rule of a makefile. Rules of included files are unknown.
var makeTarget = pattern(`(?m)^([A-Za-z0-9_][A-Za-z0-9_./ -]{0,200}?)\s*::?(?:[^=:]|$)`)

// make plans for make: the default goal is the build where no target is called so.
func (p planner) make() ([]Step, []string) {
	has := map[string]bool{}
	for _, match := range makeTarget().FindAllSubmatch(p.read(p.first(makefiles...)), 2000) {
		for _, name := range strings.Fields(string(match[1])) {
			has[name] = true
		}
	}
	var args []string
	for _, goal := range p.goals {
		switch {
		case goal == goalBuild && !has[goal]:
			if has["all"] {
				args = append(args, "all")
			}
		case goal == goalTest && !has[goal] && has["check"]:
			args = append(args, "check")
		case goal == goalProd && !has[goal] && has["release"]:
			args = append(args, "release")
		default:
			args = append(args, goal)
		}
	}
	step := p.step("make", args...)
	step.Merge = true
	return []Step{step}, append(p.below("build", "bin", "out"), p.dir)
}

// cmake plans for CMake: the project is configured, which is cheap where it was
// before, and built in a directory of its own.
func (p planner) cmake() ([]Step, []string) {
	release := slices.Contains(p.goals, goalProd)
	dir := p.buildTree(release)
	configure := p.step("cmake", "-S", ".", "-B", dir)
	build := p.step("cmake", "--build", dir)
	build.Merge = true
	if release {
		configure.Args = append(configure.Args, "-DCMAKE_BUILD_TYPE=Release")
		build.Args = append(build.Args, "--config", "Release")
	}
	steps := []Step{configure, build}
	var targets []string
	test := false
	for _, goal := range p.goals {
		switch goal {
		case goalBuild, goalProd:
		case goalTest:
			test = true
		default:
			targets = append(targets, goal)
		}
	}
	if len(targets) > 0 {
		steps[1].Args = append(append(steps[1].Args, "--target"), targets...)
	}
	if test {
		run := p.step("ctest", "--output-on-failure")
		run.Dir = path.Join(p.dir, dir) // --test-dir is newer than common versions
		steps = append(steps, run)
	}
	return steps, p.below(dir)
}

// buildTree is the directory that the project is built in already, else build.
func (p planner) buildTree(release bool) string {
	candidates := []string{"build", ".", "out/build", "_build", "cmake-build-debug", "builddir"}
	if release {
		candidates = []string{"build-release", "cmake-build-release"}
	}
	for _, name := range candidates {
		if tree, err := open(p.files, path.Join(p.dir, name)); err == nil && tree.has("CMakeCache.txt") {
			return name
		}
	}
	return candidates[0]
}
