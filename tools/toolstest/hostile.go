package toolstest

import (
	"encoding/json"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
)

// checkHostile calls a tool with variations of its first call: each text is replaced by hostile texts, each argument by values of other
// types and by random JSON.
func checkHostile(t testing.TB, p *project, tool mcp.ServerTool) {
	t.Helper()
	must(t, linkOutside(p))
	name := tool.Tool().Name
	good := map[string]any{}
	for _, c := range p.options.Calls {
		if c.Tool == name {
			must(t, json.Unmarshal([]byte(c.Args), &good))
			break
		}
	}
	types := properties(tool.Tool().InputSchema)
	for argument, value := range good {
		if _, isText := value.(string); isText {
			types[argument] = "string"
		}
	}
	random := rand.New(rand.NewPCG(1, 2)) // the same calls in each run
	for _, argument := range slices.Sorted(maps.Keys(types)) {
		if types[argument] == "string" {
			for _, text := range p.hostileTexts() {
				p.attack(t, name, with(good, argument, text), false)
			}
		}
		p.attack(t, name, with(good, argument, valueOfOtherType(types[argument])), types[argument] != "")
		for range 3 {
			p.attack(t, name, with(good, argument, randomValue(random, 3)), false)
		}
	}
	for nested := range texts(good) {
		for _, text := range p.hostileTexts() {
			p.attack(t, name, nested(text), false)
		}
	}
	p.attack(t, name, with(good, "unknown-argument\x00", strings.Repeat("x", 300)), false)
	for range 10 {
		args := make(map[string]any)
		for argument := range types {
			if random.IntN(2) == 0 {
				args[argument] = randomValue(random, 4)
			}
		}
		p.attack(t, name, args, false)
	}
}

// attack makes a call and checks its result. refused means that the call must fail.
func (p *project) attack(t testing.TB, tool string, args map[string]any, refused bool) {
	t.Helper()
	p.attacks++
	if p.attacks%p.sampleEvery != 0 {
		return
	}
	data, err := json.Marshal(args)
	must(t, err)
	c := Call{tool, string(data)}
	result := p.call(t, tool, c.Args)
	p.check(t, c, result)
	if refused && result != nil && !result.IsError {
		t.Errorf("%s succeeds, and an argument has another type than the schema demands", c)
	}
	p.checkOutside(t, c.String())
}

// linkOutside makes a link in the project to the directory outside of it, if the system permits links.
func linkOutside(p *project) error {
	err := os.Symlink(p.outside, filepath.Join(p.dir, outsideLink))
	if os.IsPermission(err) || err != nil && filepath.Separator == '\\' {
		return nil // Windows without the right to make links
	}
	return err
}

// hostileTexts returns texts that try to leave the root, to run a program, or to break a format. A set that fails the test may
// change, empty or delete the file that a text names. Therefore every path outside of the root leads to the directory outside, and
// none to a file of the machine.
func (p *project) hostileTexts() []string {
	secret := filepath.Join(p.outside, "secret.txt")
	canary := filepath.Join(p.outside, "canary")
	climbing := strings.Repeat("../", 64) // to the top of the file system
	return []string{
		"", " ", ".", "..", "a\x00b", secret + "\x00.txt", climbing + below(secret), "sub/" + climbing + below(canary), p.outside,
		"../outside/secret.txt", "../outside/canary", secret, canary, "file://" + filepath.ToSlash(secret),
		outsideLink + "/secret.txt", outsideLink + "/canary", outsideLink,
		`..\outside\canary`, "NUL", "//host/share", "-rf", "--output=" + canary, "--upload-pack=touch " + canary,
		"$(touch " + canary + ")", "`touch " + canary + "`", "; touch " + canary, "\n\r\x1b[2J\u202e", "(a+)+$", "[", "**/*", "%s%n", "{{.}}",
		strings.Repeat("a", 256<<10), strings.Repeat("../", 10_000) + below(p.outside), strings.Repeat("日", 1000),
	}
}

// below returns an absolute path without its volume and first slash.
func below(path string) string {
	return strings.TrimPrefix(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/")
}

// properties returns the types of the arguments of a tool by name; "" is an argument with several types or none.
func properties(inputSchema json.RawMessage) map[string]string {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(inputSchema, &schema) // a raw tool may have a schema of another form
	types := make(map[string]string)
	for name, property := range schema.Properties {
		types[name], _ = property.Type.(string)
	}
	return types
}

// with returns a copy of arguments with another value of one argument.
func with(args map[string]any, name string, value any) map[string]any {
	changed := maps.Clone(args)
	changed[name] = value
	return changed
}

// valueOfOtherType returns a value that does not have a type of JSON Schema.
func valueOfOtherType(name string) any {
	if name == "object" || name == "array" {
		return 7
	}
	return map[string]any{"path": []any{"a"}}
}

// texts yields, for each text inside of an array or object of arguments, a function that returns the arguments with another text.
func texts(args map[string]any) iter.Seq[func(text string) map[string]any] {
	return func(yield func(func(text string) map[string]any) bool) {
		var walk func(value any, replace func(any) map[string]any, depth int) bool
		walk = func(value any, replace func(any) map[string]any, depth int) bool {
			switch v := value.(type) {
			case string:
				return depth < 2 || yield(func(text string) map[string]any { return replace(text) })
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(v)) {
					if !walk(v[key], func(inner any) map[string]any { return replace(with(v, key, inner)) }, depth+1) {
						return false
					}
				}
			case []any:
				for i := range v {
					changed := func(inner any) map[string]any {
						list := slices.Clone(v)
						list[i] = inner
						return replace(list)
					}
					if !walk(v[i], changed, depth+1) {
						return false
					}
				}
			}
			return true
		}
		walk(args, func(changed any) map[string]any { return changed.(map[string]any) }, 0)
	}
}

// randomValue returns JSON of any type, at most depth levels deep.
func randomValue(random *rand.Rand, depth int) any {
	switch kind := random.IntN(8); {
	case kind == 0:
		return nil
	case kind == 1:
		return random.IntN(2) == 0
	case kind == 2:
		return random.Int64() - random.Int64()
	case kind == 3:
		return random.NormFloat64() * 1e6
	case kind < 6 || depth == 0:
		runes := make([]rune, random.IntN(20))
		for i := range runes {
			runes[i] = rune(random.IntN(0x3000))
		}
		return string(runes)
	case kind == 6:
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	default:
		object := make(map[string]any)
		for range random.IntN(4) {
			object[string(rune('a'+random.IntN(26)))] = randomValue(random, depth-1)
		}
		return object
	}
}
