package repository_test

import (
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// toolSets are the packages of tool sets. A set of tools is offered alone, too.
var toolSets = []string{
	"tools/agents", "tools/chunking", "tools/debug", "tools/editor", "tools/editor/unity", "tools/fs", "tools/git", "tools/search", "tools/telemetry", "tools/terminal",
}

// setOf returns the tool set to which a file belongs, "" for none.
func setOf(file string) string {
	found := ""
	for _, set := range toolSets {
		if strings.HasPrefix(file, set+"/") && len(set) > len(found) {
			found = set
		}
	}
	return found
}

// toolIdentifier matches a name with several parts: snake_case or camelCase.
var toolIdentifier = regexp.MustCompile(`\b[a-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]*)+\b`)

// toolAfterOr matches a name that follows ", or" without a verb.
var toolAfterOr = regexp.MustCompile(`, or ([a-z]+_[a-z_]+)`)

// TestAdvice_ToolsOfSet checks all texts of tool sets: descriptions, next steps and notes name only tools of the same set.
// Tools of the set that a profile leaves out are removed from the texts when the set is installed. Packages that all sets share
// name no tool.
func TestAdvice_ToolsOfSet(t *testing.T) {
	files, fset := sources(t)
	sets := make(map[string]map[string]bool) // by tool, then by set
	for _, s := range files {
		set := setOf(s.name)
		ast.Inspect(s.file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || set == "" {
				return true
			}
			if typ, ok := literal.Type.(*ast.SelectorExpr); !ok || typ.Sel.Name != "Tool" {
				return true
			}
			for _, element := range literal.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok && pair.Key.(*ast.Ident).Name == "Name" {
					if name, ok := stringOf(pair.Value); ok {
						if sets[name] == nil {
							sets[name] = make(map[string]bool)
						}
						sets[name][set] = true
					}
				}
			}
			return true
		})
	}
	if len(sets) < 80 {
		t.Fatalf("%d tools were found", len(sets))
	}
	texts := 0
	for _, s := range files {
		set := setOf(s.name)
		shared := strings.HasPrefix(s.name, "security/") || strings.HasPrefix(s.name, "mcp/") || strings.HasPrefix(s.name, "transport/")
		if set == "" && !shared {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			text, ok := stringOf(n)
			if !ok || !strings.Contains(text, " ") {
				return true
			}
			texts++
			for _, match := range toolAfterOr.FindAllStringSubmatch(text, -1) {
				if sets[match[1]] != nil {
					t.Errorf("%s: in the text %q the hint about %s has no verb of its own and stands alone where the one before it is left out", fset.Position(n.Pos()), text, match[1])
				}
			}
			for _, name := range toolIdentifier.FindAllString(text, -1) {
				if owners := sets[name]; owners != nil && !owners[set] {
					t.Errorf("%s: the text %q names %s, a tool of another set", fset.Position(n.Pos()), text, name)
				}
			}
			return true
		})
	}
	if texts < 1000 {
		t.Errorf("%d texts were read", texts)
	}
}

// stringOf returns the value of a string literal.
func stringOf(n ast.Node) (string, bool) {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// otherNames are names with several parts that texts of tool sets contain and that are neither tools nor members of arguments or
// results: words of programs and languages, and settings.
var otherNames = map[string]bool{
	"allowDestructiveOperations": true, // a setting
	"watchPaths":                 true, // a setting
	"macOS":                      true,
	"organizeImports":            true, // a kind of code action
	"fixAll":                     true, // a kind of code action
	"addMissingImports":          true, // a kind of code action
	"execute_code":               true, // a command of Unity
	"gemini_api_key":             true,
	"not_found_error":            true, // of an API of models
	"write_text_file":            true, // a method of the Agent Client Protocol
	"sourceMappingURL":           true,
	"user_version":               true, // a pragma of SQLite
}

// ofSchema are the words of JSON Schema in struct tags.
var ofSchema = map[string]bool{"minItems": true, "maxItems": true, "minLength": true, "maxLength": true}

// notProse matches literals that are no texts for a model: statements of SQL, arguments of git and lists of keywords.
var notProse = regexp.MustCompile(`^\s*(?:CREATE|SELECT|INSERT|UPDATE|DELETE|WITH|ALTER|PRAGMA) |--format=|GIT_|-c core|const_cast|% of a_b|test cHanged|@label|@word| = \?$`)

// TestAdvice_MembersOfSet checks all texts of tool sets: each name with several parts in them is a tool or a member of the
// arguments or results of the same set, so that a hint cannot name a parameter that no tool has.
func TestAdvice_MembersOfSet(t *testing.T) {
	files, fset := sources(t)
	known := make(map[string]map[string]bool) // by set: the names of its members and of its string constants
	for _, s := range files {
		set := setOf(s.name)
		if set == "" {
			continue
		}
		if known[set] == nil {
			known[set] = make(map[string]bool)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				tag, _ := stringOf(field.Tag)
				name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				known[set][name] = true
			} else if text, ok := stringOf(n); ok && toolIdentifier.FindString(text) == text {
				known[set][text] = true // the name of a tool, an event or a value
			}
			return true
		})
	}
	names := 0
	for _, s := range files {
		set := setOf(s.name)
		ast.Inspect(s.file, func(n ast.Node) bool {
			text, ok := stringOf(n)
			if !ok || set == "" || !strings.Contains(text, " ") || notProse.MatchString(text) {
				return true
			}
			for _, name := range toolIdentifier.FindAllString(text, -1) {
				names++
				if !known[set][name] && !otherNames[name] && !ofSchema[name] {
					t.Errorf("%s: the text %q names %s, which nothing of %s has", fset.Position(n.Pos()), text, name, set)
				}
			}
			return true
		})
	}
	if names < 300 {
		t.Errorf("%d names were checked", names)
	}
}
