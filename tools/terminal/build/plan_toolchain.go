package build

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// verbs are the arguments of a language's program for each target. The option -trimpath in GOFLAGS would make paths of Go tests
// useless.
var verbs = map[System]map[string][]string{
	Go: {
		goalBuild: {"build", "./..."}, goalProd: {"build", "./..."}, "vet": {"vet", "./..."},
		goalTest: {"test", "-trimpath=false", "-fullpath", "./..."}, goalClean: {"clean", "./..."}, "generate": {"generate", "./..."},
	},
	Cargo: {
		goalBuild: {"build"}, goalProd: {"build", "--release"}, goalTest: {"test"}, goalClean: {"clean"},
		"check": {"check", "--all-targets"}, "clippy": {"clippy", "--all-targets"}, "doc": {"doc", "--no-deps"}, "bench": {"bench"},
	},
	Dotnet: {
		goalBuild: {"build"}, goalProd: {"build", "-c", "Release"}, goalTest: {"test"}, goalClean: {"clean"},
		"restore": {"restore"}, "publish": {"publish"}, "pack": {"pack"},
	},
	Swift: {
		goalBuild: {"build"}, goalProd: {"build", "-c", "release"}, goalTest: {"test"}, goalClean: {"package", "clean"},
	},
}

// toolchain plans for the programs that build one language.
func (p planner) toolchain() ([]Step, []string, error) {
	goal := p.only()
	args, ok := verbs[p.system][goal]
	switch {
	case ok:
		args = slices.Clone(args)
	case p.system == Go && strings.HasPrefix(goal, "./"):
		args = []string{"build", goal} // a package
	default:
		return nil, nil, p.unknownTarget(slices.Sorted(maps.Keys(verbs[p.system])))
	}
	switch p.system {
	case Dotnet:
		if project := p.netProject(); project != "" {
			args = slices.Insert(args, 1, project)
		}
		args = append(args, "--nologo")
		step := p.step("dotnet", args...)
		// The servers that it leaves behind would outlive the build.
		step.Env = []string{"DOTNET_CLI_TELEMETRY_OPTOUT=1", "MSBUILDDISABLENODEREUSE=1", "UseSharedCompilation=false"}
		return []Step{step}, p.below("bin"), nil
	case Cargo:
		return []Step{p.step("cargo", args...)}, p.cargoOutputs(), nil
	case Swift:
		return []Step{p.step("swift", args...)}, p.below(".build/debug", ".build/release"), nil
	}
	return []Step{p.step("go", args...)}, []string{p.dir}, nil
}

// cargoOutputs are where a package, or a workspace around it, is built.
func (p planner) cargoOutputs() []string {
	all := p.below("target/debug", "target/release")
	for _, at := range p.above {
		if at.has("Cargo.toml") && strings.Contains(string(at.read("Cargo.toml")), "[workspace]") {
			all = append(all, path.Join(at.dir, "target/debug"), path.Join(at.dir, "target/release"))
		}
	}
	return all
}

// netProject returns the project to name if there are several.
func (p planner) netProject() string {
	all := p.ending(append(slices.Clone(solutions), netProjects...)...)
	if len(all) < 2 || strings.HasPrefix(all[0], "-") {
		return ""
	}
	return all[0]
}

// msbuild plans for MSBuild.
func (p planner) msbuild() ([]Step, []string) {
	args := []string{"-nologo", "-v:minimal", "-nodeReuse:false", "-restore"}
	if all := p.ending(".sln", ".slnx", "proj"); len(all) > 0 && !strings.ContainsAny(all[0][:1], "-/@") {
		args = slices.Insert(args, 0, all[0])
	}
	for _, goal := range p.goals {
		switch goal {
		case goalBuild:
			args = append(args, "-t:Build")
		case goalTest:
			args = append(args, "-t:VSTest")
		case goalClean:
			args = append(args, "-t:Clean")
		case goalProd:
			args = append(args, "-t:Build", "-p:Configuration=Release")
		default:
			args = append(args, "-t:"+goal)
		}
	}
	return []Step{p.step("msbuild", args...)}, p.below("bin", "Debug", "Release", "x64")
}

// xcodebuild returns the plan for Xcode. The scheme is the target if it exists, else the first shared scheme, else the default
// scheme with the name of the project.
func (p planner) xcodebuild() ([]Step, []string) {
	file := p.ending(xcodeFiles...)[0]
	kind := "project"
	if path.Ext(file) == ".xcworkspace" {
		kind = "workspace"
	}
	var schemes []string
	if shared, err := open(p.files, path.Join(p.dir, file, "xcshareddata/xcschemes")); err == nil {
		for _, name := range shared.ending(".xcscheme") {
			schemes = append(schemes, strings.TrimSuffix(name, ".xcscheme"))
		}
	}
	scheme := strings.TrimSuffix(file, path.Ext(file))
	if len(schemes) > 0 && !slices.Contains(schemes, scheme) {
		scheme = schemes[0]
	}
	args := []string{}
	for _, goal := range p.goals {
		switch {
		case goal == goalProd:
			args = append(args, "-configuration", "Release", "build")
		case slices.Contains(schemes, goal):
			scheme = goal
		default:
			args = append(args, goal)
		}
	}
	args = append([]string{"-" + kind, file, "-scheme", scheme}, args...)
	return []Step{p.step("xcodebuild", args...)}, p.below("build")
}
