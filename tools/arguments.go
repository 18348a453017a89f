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
// tool has the new one, or if its schema allows no other name, for example since it takes undeclared arguments. Of two arguments
// that would get the same name, the first in the alphabet gets it.
func (p Profile) nameArguments(t mcp.ServerTool) (mcp.ServerTool, error) {
	var options mcp.ToolOptions
	if p.OtherSpelling || len(p.ArgumentNames) > 0 {
		options.ArgumentSynonyms = p.synonyms
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
	named := t.With(options)
	if named.Err() == nil || t.Err() != nil {
		return named, nil
	}
	names := options.ArgumentNames
	options.ArgumentNames = nil
	named = t.With(options)
	for _, own := range slices.Sorted(maps.Keys(names)) {
		if next := named.With(mcp.ToolOptions{ArgumentNames: map[string]string{own: names[own]}}); next.Err() == nil {
			named = next
		}
	}
	return named, nil
}

// synonyms returns further names of the arguments of an object, by synonym. An argument that ArgumentNames has not renamed,
// because it is not listed or is in an inner object, is accepted under the name of the profile, too.
func (p Profile) synonyms(arguments []string) map[string]string {
	found := map[string]string{}
	if p.OtherSpelling {
		found = argumentSynonyms(arguments)
	}
	claimed := map[string]bool{}
	for _, own := range slices.Sorted(slices.Values(arguments)) {
		if name := p.ArgumentNames[own]; name != "" && !claimed[name] && !slices.Contains(arguments, name) {
			found[name], claimed[name] = own, true
		}
	}
	return found
}

// usualNames are names of arguments in camelCase; their spellings with underscores count, too.
type usualNames struct {
	arguments []string // names of one kind of argument
	synonyms  []string // further names that such an argument accepts
}

// usualArguments returns the names that models and other tools use for the same argument. It has no name that often means another
// thing, since a wrong guess can change files: cwd is no path to delete, the code of one function no content of a file, a time to
// wait no limit for an agent, and offsets and positions that count from 0 are no lines and columns.
func usualArguments() []usualNames {
	return []usualNames{
		{[]string{"path", "filePath", "file", "targetFile"}, []string{"fileName", "absolutePath", "relativePath", "directory", "dir", "folder"}},
		{[]string{"projectPath", "directory", "dir", "folder"}, []string{"path"}},
		{[]string{"paths", "filePaths", "files"}, nil},
		{[]string{"cwd", "workingDirectory", "workdir"}, []string{"directory", "dir", "path"}},
		{[]string{"pattern"}, []string{"regex", "regexp", "search", "query", "glob"}},
		{[]string{"query", "functionQuery", "searchQuery", "searchTerm"}, []string{"q", "search", "text", "pattern", "symbol", "symbolName", "identifier", "name"}},
		{[]string{"symbol", "symbolName"}, []string{"identifier", "name", "query"}},
		{[]string{"glob", "includePattern", "filePattern"}, []string{"include"}},
		{[]string{"limit", "maxResults"}, []string{"maxCount", "headLimit", "topK", "count"}},
		{[]string{"oldText", "oldString", "oldStr"}, []string{"old", "search", "find"}},
		{[]string{"newText", "newString", "newStr", "replacement"}, []string{"new", "replace"}},
		{[]string{"newCode", "newBody"}, []string{"code", "content", "newContent", "text"}},
		{[]string{"content", "contents", "fileText"}, []string{"text", "code", "newContent"}},
		{[]string{"code", "snippet"}, []string{"query", "text", "content"}},
		{[]string{"command", "cmd"}, nil},
		{[]string{"timeout", "timeoutMs"}, nil},
		{[]string{"waitMs"}, []string{"wait", "timeout", "timeoutMs"}},
		{[]string{"dryRun", "preview"}, nil},
		{[]string{"startLine", "lineStart", "fromLine"}, nil},
		{[]string{"endLine", "lineEnd", "toLine"}, nil},
		{[]string{"line", "lineNumber"}, nil},
		{[]string{"column", "col"}, nil},
		{[]string{"source", "sourcePath"}, []string{"from", "oldPath"}},
		{[]string{"destination", "destinationPath"}, []string{"to", "newPath"}},
		{[]string{"prompt"}, []string{"task", "message", "instructions"}},
		{[]string{"maxDepth", "depth"}, nil},
		{[]string{"input"}, []string{"text", "data"}},
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
	usual := usualArguments()
	for _, name := range arguments {
		add(name, name)
		for _, u := range usual {
			if slices.Contains(u.arguments, name) || slices.Contains(u.arguments, otherSpelling(name)) {
				for _, synonym := range slices.Concat(u.arguments, u.synonyms) {
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
