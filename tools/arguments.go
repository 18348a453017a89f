package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// nameArguments returns a tool with the names of a profile for its arguments. An argument keeps its name if another one of the
// tool has the new one; of two that would get the same name, the first in the alphabet gets it.
func (p Profile) nameArguments(t mcp.ServerTool) (mcp.ServerTool, error) {
	var options mcp.ToolOptions
	if p.OtherSpelling {
		options.ArgumentSynonyms = argumentSynonyms
	}
	if len(p.ArgumentNames) > 0 {
		var input struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(t.Tool().InputSchema, &input); err != nil {
			return t, fmt.Errorf("read the arguments of %s: %w", t.Tool().Name, err)
		}
		names := map[string]string{}
		for _, own := range slices.Sorted(maps.Keys(p.ArgumentNames)) {
			name := p.ArgumentNames[own]
			_, taken := input.Properties[name]
			if _, has := input.Properties[own]; has && !taken {
				names[own] = name
				input.Properties[name] = nil
			}
		}
		options.ArgumentNames = names
	}
	return t.With(options), nil
}

// usualNames returns groups of names that models and other tools use for the same argument. A name is written in camelCase; its
// spelling with underscores counts, too.
func usualNames() [][]string {
	return [][]string{
		{"path", "filePath", "file", "fileName", "targetFile", "absolutePath", "relativePath", "directory", "dir", "folder", "projectPath"},
		{"paths", "filePaths", "files"},
		{"cwd", "workingDirectory", "workdir", "directory", "dir", "path"},
		{"pattern", "regex", "regexp", "search", "query"},
		{"pattern", "glob"},
		{"query", "q", "search", "searchTerm", "searchQuery", "text", "functionQuery", "pattern"},
		{"symbol", "symbolName", "identifier", "name", "query"},
		{"glob", "include", "includePattern", "filePattern"},
		{"limit", "maxResults", "maxCount", "headLimit", "topK", "count"},
		{"oldText", "oldString", "oldStr", "old", "search", "find"},
		{"newText", "newString", "newStr", "new", "replace", "replacement"},
		{"newCode", "code", "content", "newContent", "newBody", "text"},
		{"content", "contents", "text", "code", "fileText"},
		{"code", "snippet", "query", "text"},
		{"command", "cmd", "script"},
		{"timeout", "timeoutMs"},
		{"waitMs", "wait", "timeout", "timeoutMs"},
		{"dryRun", "preview"},
		{"startLine", "lineStart", "fromLine", "start"},
		{"endLine", "lineEnd", "toLine", "end"},
		{"line", "lineNumber", "row"},
		{"column", "col", "character"},
		{"source", "from", "oldPath", "sourcePath"},
		{"destination", "to", "newPath", "destinationPath"},
		{"prompt", "task", "message", "instructions"},
		{"maxDepth", "depth"},
		{"input", "text", "data"},
	}
}

// argumentSynonyms returns further names of the arguments of an object, by synonym: the other spelling of each, usual names, and
// id for the only one that ends in Id. A synonym that two arguments could have is none.
func argumentSynonyms(arguments []string) map[string]string {
	found := map[string]string{}
	add := func(synonym, name string) {
		for _, spelling := range []string{synonym, otherSpelling(synonym)} {
			if other, ok := found[spelling]; ok && other != name {
				found[spelling] = "" // ambiguous
			} else {
				found[spelling] = name
			}
		}
	}
	groups := usualNames()
	for _, name := range arguments {
		add(name, name)
		for _, group := range groups {
			if slices.Contains(group, name) || slices.Contains(group, otherSpelling(name)) {
				for _, synonym := range group {
					add(synonym, name)
				}
			}
		}
		if strings.HasSuffix(name, "Id") {
			add("id", name)
		}
		if strings.HasSuffix(name, "Ids") {
			add("ids", name)
		}
	}
	for synonym, name := range found {
		if name == "" || synonym == "" || synonym == name {
			delete(found, synonym)
		}
	}
	return found
}
