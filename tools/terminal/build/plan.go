package build

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Plan is the sequence of commands that builds a project.
type Plan struct {
	System System
	// Steps are run one after another, each if the one before it succeeded.
	Steps []Step
	// Outputs are the directories of the build results, with slashes and relative to the root of the files. They need not
	// exist.
	Outputs []string
}

// Step is one command.
type Step struct {
	// Program is looked up on PATH, or is relative to Dir if it has a slash.
	Program string
	Args    []string
	// Dir is with slashes and relative to the root of the files.
	Dir string
	// Env are variables, as name=value, that are set in addition.
	Env []string
	// Merge asks for stdout and stderr as one stream. The order of their lines matters: make writes the directory that it enters to one,
	// and a compiler writes its errors to the other.
	Merge bool
}

// String is the command as one would type it.
func (s Step) String() string { return strings.Join(append([]string{s.Program}, s.Args...), " ") }

// PlanOf returns the plan to build a directory with a system. "" or Auto selects the first system that Detect finds. All
// systems have the targets build (also ""), test, clean and prod. Further targets belong to a system: a script of package.json,
// goals of Maven, tasks of Gradle, targets of make. A build does not run tests. Wrapper scripts of the project (mvnw, gradlew)
// are preferred to installed programs.
//
// The commands of a plan ask no questions, print no colours and leave no daemon. They run code of the project, as every build
// does.
//
// Errors are NO_BUILD_SYSTEM if the directory cannot be built with the system, and INVALID_PARAMS with the valid values for an
// unknown system or target.
func PlanOf(files Files, dir string, s System, target string) (Plan, error) {
	return planFor(runtime.GOOS, files, dir, s, target)
}

func planFor(goos string, files Files, dir string, s System, target string) (Plan, error) {
	f, err := open(files, dir)
	if err != nil {
		return Plan{}, fmt.Errorf("looking for a build system in %s: %w", quote(dir), err)
	}
	if s == "" || s == Auto {
		found, err := Detect(files, dir)
		if err != nil {
			return Plan{}, err
		}
		s = found[0]
	}
	if !s.known() {
		return Plan{}, invalid(fmt.Sprintf("Leave buildType out, or give one of %s.", join(Systems())), "there is no build system %s", quote(string(s)))
	}
	if !f.belongs(s) {
		if found := f.systems(); len(found) > 0 {
			return Plan{}, noSystem(fmt.Sprintf("Leave buildType out, or give one that is there: %s.", join(found)), "%s is not built with %s", quote(f.dir), s)
		}
		return Plan{}, noSystem(f.elsewhere(), "%s is not built with %s, nor with anything else that is known: there is none of %s", quote(f.dir), s, looked)
	}
	goals, err := goalsOf(target)
	if err != nil {
		return Plan{}, err
	}
	return planner{folder: f, goos: goos, system: s, goals: goals}.plan()
}

func join(all []System) string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// The targets that every system has.
const (
	goalBuild = "build"
	goalTest  = "test"
	goalClean = "clean"
	goalProd  = "prod"
)

const (
	maxTarget = 300
	maxGoals  = 10
)

// goalsOf takes a target apart. A goal that could be an option, set a variable of a
// builder or mean something to a shell (batch files on Windows have one) is none.
func goalsOf(target string) ([]string, error) {
	goals := strings.Fields(target)
	if len(goals) == 0 {
		goals = []string{goalBuild}
	}
	if len(target) > maxTarget || len(goals) > maxGoals {
		return nil, invalid("Give one target, or run the builder with execute_command.", "the target is too long: at most %d targets and %d bytes", maxGoals, maxTarget)
	}
	for i, goal := range goals {
		if goal[0] == '-' || goal[0] == '@' || strings.ContainsFunc(goal, func(r rune) bool {
			return r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.:/+,#@~", r)) || r == '\uFFFD'
		}) {
			return nil, invalid("A target is a name, such as build, test, clean or prod; to give options run the builder with execute_command.", "%s cannot be a target", quote(goal))
		}
		if goal == "production" || goal == "release" {
			goals[i] = goalProd
		}
	}
	return goals, nil
}

// planner makes the plan of one system.
type planner struct {
	folder
	goos   string
	system System
	goals  []string
}

func (p planner) plan() (Plan, error) {
	plan := Plan{System: p.system}
	var err error
	switch p.system {
	case NPM, Yarn, PNPM:
		plan.Steps, plan.Outputs, err = p.node()
	case Maven:
		plan.Steps, plan.Outputs = p.maven(), p.mavenOutputs()
	case Gradle:
		plan.Steps, plan.Outputs = p.gradle(), p.gradleOutputs()
	case Go, Cargo, Dotnet, Swift:
		plan.Steps, plan.Outputs, err = p.toolchain()
	case MSBuild:
		plan.Steps, plan.Outputs = p.msbuild()
	case Xcodebuild:
		plan.Steps, plan.Outputs = p.xcodebuild()
	case Make:
		plan.Steps, plan.Outputs = p.make()
	case CMake:
		plan.Steps, plan.Outputs = p.cmake()
	case Python:
		plan.Steps, plan.Outputs, err = p.python()
	}
	if err != nil {
		return Plan{}, err
	}
	slices.Sort(plan.Outputs)
	plan.Outputs = slices.Compact(plan.Outputs)
	return plan, nil
}

// step is a command in the folder.
func (p planner) step(program string, args ...string) Step {
	return Step{Program: program, Args: args, Dir: p.dir}
}

// only is the goal if there is just one.
func (p planner) only() string {
	if len(p.goals) == 1 {
		return p.goals[0]
	}
	return ""
}

// unknownTarget is the error for a target that a system does not have.
func (p planner) unknownTarget(have []string) error {
	return invalid(fmt.Sprintf("Give one of %s.", strings.Join(have, ", ")), "%s has no target %s", p.system, quote(strings.Join(p.goals, " ")))
}
