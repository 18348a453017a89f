package cursorcli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

// plan is a random configuration with its invalid values and the expected result.
type plan struct {
	sources
	wrong map[string]bool   // keys that a problem must name
	want  map[string]string // values, as JSON
}

// made makes a plan: every key in any number of sources, right or wrong, and
// names that are no keys.
func made(r *rand.Rand, settings []setting, defaults map[string]string) plan {
	p := plan{wrong: map[string]bool{}, want: map[string]string{}}
	file := map[string]any{}
	for _, k := range settings {
		p.want[k.key] = defaults[k.key]
		if r.IntN(3) == 0 {
			value, right := k.value(r)
			put(file, k.key, json.RawMessage(value))
			p.expect(k, defaults, value, right)
		}
		variable, flagName := names(k.key)
		if r.IntN(6) == 0 {
			text, value, right := k.written(r)
			p.env = append(p.env, variable+"="+text)
			p.expect(k, defaults, value, right)
		}
		if r.IntN(6) == 0 {
			text, value, right := k.written(r)
			p.flags = append(p.flags, flagName+"="+text)
			p.expect(k, defaults, value, right)
		}
	}
	for range r.IntN(3) {
		section := []string{"", "server.", "tools.fileOperations.", "logging.", "extra."}[r.IntN(5)]
		unknown := section + []string{"nmae", "allowedTool", "x", "__proto__", "maxConcurrentRequest", "日本"}[r.IntN(6)]
		put(file, unknown, json.RawMessage([]string{"1", "null", "{}", `"s"`, "[[[]]]"}[r.IntN(5)]))
		if section == "extra." {
			unknown = "extra"
		}
		p.wrong[unknown] = true
	}
	if r.IntN(4) == 0 {
		p.env = append(p.env, variablePrefix+"SERVER_NMAE=secret-value")
		p.wrong[""] = true
	}
	text, err := json.Marshal(file)
	if err != nil {
		panic(err)
	}
	p.file = string(text)
	if r.IntN(4) == 0 {
		p.spoil(r, settings, defaults)
	}
	return p
}

// value is a value for the file, which is right or not.
func (k setting) value(r *rand.Rand) (value string, right bool) {
	if r.IntN(2) == 0 && k.key != "security.enforceProjectRoot" { // which needs a flag
		return k.json, true
	}
	return k.bad[r.IntN(len(k.bad))], false
}

// written is a value as text, and as the file would have it.
func (k setting) written(r *rand.Rand) (text, value string, right bool) {
	if r.IntN(2) == 0 && k.key != "security.enforceProjectRoot" {
		return k.text, k.json, true
	}
	text = k.badText[r.IntN(len(k.badText))]
	return text, text, false
}

// expect records the expected result of the last value of a key.
func (p *plan) expect(k setting, defaults map[string]string, value string, right bool) {
	p.want[k.key] = value
	if right {
		return
	}
	p.wrong[k.key] = true
	p.want[k.key] = defaults[k.key]
	switch {
	case k.key == "tools.allowedTools" && strings.HasSuffix(value, "]"), k.key == "logging.outputs" && strings.Contains(value, "printer"):
		p.want[k.key] = "[]" // the only element is left out
	case k.key == "logging.outputs" && strings.HasPrefix(value, "["):
		p.want[k.key] = `["console"]` // the second one is
	}
}

// spoil makes a file that is no file of settings.
func (p *plan) spoil(r *rand.Rand, settings []setting, defaults map[string]string) {
	spoiled := []string{
		p.file[:r.IntN(len(p.file))], p.file + "}", "\x00" + p.file, "[" + p.file + "]", `"` + settingsFile + `"`, "null", "{'a':1}", "{\"a\":1,}", "// x\n{}",
		strings.Repeat(`{"server":`, 5000), strings.Repeat("[", 100_000), `{"server":` + strings.Repeat(" ", 1<<20) + "{}}", "\xff\xfe{\x00}\x00", "{\"server\":{\"name\":\"\xff\"}}",
	}
	p.file = spoiled[r.IntN(len(spoiled))]
	if p.file == "" {
		p.file = " "
	}
	decided := map[string]string{}
	for _, k := range settings {
		variable, flagName := names(k.key)
		decided[k.key] = defaults[k.key]
		for _, text := range append(p.env[:len(p.env):len(p.env)], p.flags...) {
			if strings.HasPrefix(text, variable+"=") || strings.HasPrefix(text, flagName+"=") {
				decided[k.key] = p.want[k.key]
			}
		}
	}
	p.want, p.wrong = decided, map[string]bool{"": true}
}

func names(key string) (variable, flagName string) {
	for _, k := range newSettings().Keys() {
		if k.Path() == key {
			return variablePrefix + k.Variable(), "-" + k.Flag()
		}
	}
	return "", ""
}

// put puts a value at a path of nested objects.
func put(in map[string]any, path string, value any) {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		in[name] = value
		return
	}
	inner, ok := in[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
		in[name] = inner
	}
	put(inner, rest, value)
}

// flatten is the inverse of put, as JSON.
func flatten(prefix string, m map[string]any, into map[string]string) {
	for name, value := range m {
		if inner, ok := value.(map[string]any); ok {
			flatten(prefix+name+".", inner, into)
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		into[prefix+name] = string(text)
	}
}

// Of a random configuration, every mistake is named, the rest counts, and the server starts.
func TestSettings_RandomConfigurations(t *testing.T) {
	configurations := uint64(400)
	if testing.Short() {
		configurations = 60
	}
	settings := keys(elsewhere(t))
	defaults := map[string]string{}
	flatten("", newSettings().Load().Document().Map(), defaults)
	const parts = 4
	for part := range uint64(parts) {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for seed := part; seed < configurations && !t.Failed(); seed += parts {
				p := made(rand.New(rand.NewPCG(seed, 0)), settings, defaults)
				p.try(t, seed, dir)
			}
		})
	}
}

// try starts a server with the configuration.
func (p plan) try(t *testing.T, seed uint64, dir string) {
	apptest.Write(t, dir, map[string]string{settingsFile: p.file})
	p.quiet = true
	p.env = append(slices.Clone(p.env), "XDG_CONFIG_HOME="+filepath.Join(dir, "home"))
	approveAll(t, dir, p.sources)
	v, _, err := open(t, dir, p.sources)
	if err != nil {
		t.Fatalf("configuration %d does not start: %v\n%+v", seed, err, p)
	}
	named := map[string]bool{}
	for _, problem := range v.loaded.Problems() {
		key, _, _ := strings.Cut(problem.Key, "[")
		named[key] = true
		if problem.Message == "" || problem.Consequence == "" || strings.Contains(problem.Error(), "secret-value") {
			t.Errorf("configuration %d: a poor problem: %v", seed, problem)
		}
	}
	for key := range p.wrong {
		if !named[key] {
			t.Errorf("configuration %d: nobody said that %q is wrong: %v\n%+v", seed, key, v.loaded.Err(), p)
		}
	}
	got := map[string]string{}
	flatten("", v.loaded.Document().Map(), got)
	for key, want := range p.want {
		if got[key] != want {
			t.Errorf("configuration %d: %s is %s, want %s\n%+v", seed, key, got[key], want, p)
		}
	}
	if n := len(v.server.Tools()); n == 0 && got["tools.allowedTools"] != "[]" {
		t.Errorf("configuration %d: no tools", seed)
	}
	apptest.Must(t, v.close(t.Context()))
}
