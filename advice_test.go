package dougu_test

import (
	"go/ast"
	"go/token"
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

// TestTextsNameToolsOfTheirSet checks all texts of tool sets: descriptions, next steps and notes name only tools of the same set.
// Tools of the set that a profile leaves out are removed from the texts when the set is installed. Packages that all sets share
// name no tool.
func TestTextsNameToolsOfTheirSet(t *testing.T) {
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
