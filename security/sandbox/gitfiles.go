package sandbox

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// harmlessKeys are keys of a configuration of git that make git run no program, in lower case and without the part between the first
// and the last word. A change of another key is refused.
func harmlessKeys() map[string]bool {
	keys := make(map[string]bool)
	for _, key := range strings.Fields(`core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase
		core.precomposeunicode core.symlinks core.autocrlf core.eol branch.remote branch.merge branch.rebase branch.description
		branch.pushremote branch.vscode-merge-base branch.github-pr-owner-number remote.url remote.fetch remote.pushurl remote.tagopt remote.prune user.name
		user.email init.defaultbranch push.default pull.rebase pull.ff submodule.url submodule.active extensions.objectformat
		extensions.refstorage`) {
		keys[key] = true
	}
	return keys
}

// isHarmlessConfig reports whether all differences between two configurations of git are harmless. A line that is written in an
// unusual way is not. The configuration of a submodule names its work tree.
func isHarmlessConfig(before, after []byte, isSubmodule bool) bool {
	old, _ := configKeys(before)
	changed, ok := configKeys(after)
	if !ok {
		return false
	}
	harmless := harmlessKeys()
	harmless["core.worktree"] = isSubmodule
	for key, values := range changed {
		if slices.Equal(old[key], values) {
			continue
		}
		first, rest, _ := strings.Cut(key, ".")
		last := rest[strings.LastIndexByte(rest, '.')+1:]
		if !harmless[first+"."+last] {
			return false
		}
		// An address can name a program: ext::, other helpers, and paths that begin like options.
		if strings.HasSuffix(last, "url") && slices.ContainsFunc(values, func(v string) bool {
			return strings.Contains(v, "::") || strings.HasPrefix(v, "-") || strings.HasPrefix(v, "!")
		}) {
			return false
		}
	}
	// A key that is taken away can make one of the user's settings hold, which runs a program that the user has chosen.
	return true
}

// configKeys are the values of each key of a configuration of git: its section and its own name in lower case, with the part between
// them as it is. ok is false if a line is not of the plain forms that git writes.
func configKeys(text []byte) (keys map[string][]string, ok bool) {
	keys, ok = make(map[string][]string), !bytes.ContainsRune(text, 0)
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			name, isPlain := strings.CutSuffix(line[1:], "]")
			head, middle, hasMiddle := strings.Cut(name, ` "`)
			section = strings.ToLower(head)
			if hasMiddle {
				var closed bool
				middle, closed = strings.CutSuffix(middle, `"`)
				isPlain = isPlain && closed && !strings.ContainsAny(middle, "\"\\")
				section += "." + middle
			}
			if !isPlain || head == "" || strings.ContainsAny(head, " \t]\".") {
				ok = false
			}
		default:
			name, value, hasValue := strings.Cut(line, "=")
			name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
			if section == "" || !hasValue || name == "" || strings.ContainsAny(name, " \t[].\"\\") || strings.HasSuffix(value, `\`) {
				ok = false
			}
			keys[section+"."+name] = append(keys[section+"."+name], value)
		}
	}
	return keys, ok
}

// isHarmlessTodo reports whether the steps of a rebase that were not there before run no program.
func isHarmlessTodo(before, after []byte) bool {
	known := make(map[string]bool)
	for line := range strings.Lines(string(before)) {
		known[strings.TrimSpace(line)] = true
	}
	commands := maps.Collect(func(yield func(string, bool) bool) {
		for _, name := range strings.Fields("pick p reword r edit e squash s fixup f drop d noop break b label l reset t merge m update-ref u") {
			if !yield(name, true) {
				return
			}
		}
	})
	for line := range strings.Lines(string(after)) {
		line = strings.TrimSpace(line)
		word, _, _ := strings.Cut(line, " ")
		if line != "" && line[0] != '#' && !known[line] && !commands[word] {
			return false
		}
	}
	return true
}
