package build

import (
	"maps"
	"path"
	"slices"
)

// node plans for the package managers of JavaScript.
func (p planner) node() ([]Step, []string, error) {
	m, _ := p.manifest()
	script := p.script(m)
	if script == "" {
		step, ok := p.scriptless()
		if !ok {
			return nil, nil, p.noScript(m)
		}
		return []Step{step}, p.nodeOutputs(), nil
	}
	program, args := p.program(string(p.system)), []string{"run", script}
	// Tools that ask nothing, watch nothing and colour nothing where CI is set
	// would also be stricter there: create-react-app makes errors of warnings.
	step := p.step(program, args...)
	step.Env = []string{"FORCE_COLOR=0", "NO_COLOR=1", "npm_config_fund=false", "npm_config_update_notifier=false"}
	if script == goalTest || len(p.goals) == 1 && p.goals[0] == goalTest {
		step.Env = append(step.Env, "CI=true") // else some runners of tests watch for changes
	}
	return []Step{step}, p.nodeOutputs(), nil
}

// script is the script of package.json that the target means, or "".
func (p planner) script(m manifest) string {
	goal := p.only()
	candidates := []string{goal}
	switch goal {
	case goalBuild:
		candidates = append(candidates, "compile", "dist", "bundle")
	case goalTest:
		candidates = append(candidates, "test:unit")
	case goalProd:
		candidates = append(candidates, "build:prod", "build:production", "production", "build:release", "release:build")
	}
	for _, name := range candidates {
		if _, ok := m.Scripts[name]; ok && name != "" {
			return name
		}
	}
	return ""
}

// scriptless returns the step for a package without scripts: installation, and a type check if the project configures
// TypeScript.
func (p planner) scriptless() (Step, bool) {
	switch goal := p.only(); {
	case goal == "install":
		return p.step(p.program(string(p.system)), "install"), true
	case goal == goalBuild && p.has("tsconfig.json"):
		switch p.system {
		case Yarn:
			return p.step(p.program("yarn"), "run", "tsc", "--noEmit", "--pretty", "false"), true
		case PNPM:
			return p.step(p.program("pnpm"), "exec", "tsc", "--noEmit", "--pretty", "false"), true
		}
		return p.step(p.program("npx"), "--no-install", "tsc", "--noEmit", "--pretty", "false"), true
	}
	return Step{}, false
}

func (p planner) noScript(m manifest) error {
	scripts := slices.Sorted(maps.Keys(m.Scripts))
	if len(scripts) > 40 {
		scripts = scripts[:40]
	}
	if len(scripts) == 0 {
		return invalid("Add a script to package.json, or run the builder with execute_command.", "the package.json of %s has no scripts", quote(p.dir))
	}
	for i, name := range scripts {
		scripts[i] = name[:min(len(name), 60)]
	}
	return p.unknownTarget(scripts)
}

// program is how a program is called that is a batch file on Windows.
func (p planner) program(name string) string {
	if p.goos == "windows" {
		return name + ".cmd"
	}
	return name
}

func (p planner) nodeOutputs() []string {
	return p.below("dist", "build", "out", "lib", ".next", ".output")
}

// below are directories of the folder.
func (p planner) below(names ...string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = path.Join(p.dir, name)
	}
	return all
}
