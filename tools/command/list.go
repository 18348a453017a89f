package command

import (
	"slices"
	"strings"
)

// listed applies Policy.Denied and Policy.Allowed to one simple command. Under sudo, which is allowed with its arguments, only
// the denied commands count.
func (k *checker) listed(base string, argv []string, underSudo bool) {
	k.denied(base, argv)
	if len(k.policy.Allowed) == 0 || underSudo {
		return
	}
	switch {
	case !known(argv[0]):
		k.refuse(ruleAllowed, argv, "its name is only known when it runs")
	case needsNoListing(argv) || isTransparent(base, argv):
	case !slices.ContainsFunc(k.policy.Allowed, func(pattern string) bool { return allows(pattern, argv) }):
		k.refuse(ruleAllowed, argv, "it is none of the commands that are allowed")
	}
}

func (k *checker) denied(base string, argv []string) {
	for _, pattern := range k.policy.Denied {
		if denies(pattern, argv, base) {
			k.refuse(ruleDenied, argv, "the commands %q are denied", pattern)
			return
		}
	}
}

// needsNoListing reports whether a command of the shell has no effect of its own. Text that the shell would expand once more has.
func needsNoListing(argv []string) bool {
	switch argv[0] {
	case "cd", "pushd", "popd", "dirs", "pwd", ":", "true", "false", "test", "[", "echo", "printf", "set", "unset", "shift", "exit", "return",
		"break", "continue", "wait", "type", "umask", "times", "jobs", "fg", "bg", "disown":
		return !slices.ContainsFunc(argv, func(arg string) bool {
			return strings.Contains(arg, "$(") || strings.Contains(arg, "`") || argv[0] == "printf" && strings.HasPrefix(arg, "-v")
		})
	}
	return false
}

// variable refuses a variable that decides which programs run, if there are allowed commands.
func (k *checker) variable(name string) {
	switch {
	case name == "PATH", name == "ENV", name == "BASH_ENV", name == "IFS", name == "PROMPT_COMMAND", name == "PS4", name == "SHELLOPTS",
		strings.HasPrefix(name, "LD_"), strings.HasPrefix(name, "DYLD_"), strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "BASH_FUNC_"):
		k.unclear([]string{name + "="}, "the variable decides which programs run")
	}
}

// allows reports whether a pattern means a command. A name without a slash is one that is looked up, or that of a program in a
// directory of the system.
func allows(pattern string, argv []string) bool {
	words := strings.Fields(pattern)
	if len(words) == 0 {
		return false
	}
	name := argv[0]
	if !strings.ContainsAny(words[0], `/\`) {
		for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"} {
			if rest, ok := strings.CutPrefix(name, dir); ok {
				name = rest
			}
		}
		if strings.Contains(name, "/") {
			return false
		}
	}
	return wordMatches(words[0], name) && (len(words) == 1 || wordsMatch(words[1:], argv[1:]))
}

// wordsMatch compares arguments. A "*" alone stands for any number of them, and no other word for one that is not known.
func wordsMatch(words, args []string) bool {
	w, a, retry, from := 0, 0, -1, 0
	for a < len(args) {
		switch {
		case w < len(words) && words[w] == "*":
			retry, from = w, a
			w++
		case w < len(words) && known(args[a]) && wordMatches(words[w], args[a]):
			w, a = w+1, a+1
		case retry >= 0:
			from++
			w, a = retry+1, from
		default:
			return false
		}
	}
	return strings.Trim(strings.Join(words[w:], ""), "*") == ""
}

func wordMatches(pattern, text string) bool {
	return matches(strings.NewReplacer("*", star, "?", one).Replace(cleaned(pattern)), text)
}

// denies reports whether a pattern forbids a command. Options can stand between its words, and further arguments behind.
func denies(pattern string, argv []string, base string) bool {
	words := strings.Fields(pattern)
	if len(words) == 0 || !wordMatches(words[0], argv[0]) && !wordMatches(strings.ToLower(words[0]), base) {
		return false
	}
	words = words[1:]
	for len(words) > 0 && words[len(words)-1] == "*" {
		words = words[:len(words)-1]
	}
	return findWords(words, argv[1:])
}

// findWords reports whether the arguments have the words of a denied command. It tries all ways at once: can[w] means that the
// first w words are found, value[w] that the next argument may be the value of an option.
func findWords(words, args []string) bool {
	can, value := make([]bool, len(words)+1), make([]bool, len(words)+1)
	next, nextValue := make([]bool, len(words)+1), make([]bool, len(words)+1)
	can[0] = true
	for i := 0; ; i++ {
		for w, word := range words {
			can[w+1] = can[w+1] || can[w] && word == "*"
		}
		if can[len(words)] {
			return true
		}
		if i == len(args) {
			return false
		}
		arg := args[i]
		isOption := len(arg) > 1 && arg[0] == '-'
		clear(next)
		for w, word := range words {
			next[w] = next[w] || can[w] && (isOption || word == "*") || value[w]
			nextValue[w] = can[w] && isOption
			if can[w] && (wordMatches(word, arg) || strings.ContainsAny(arg, unknowns) && matches(arg, word)) {
				next[w+1] = true
			}
		}
		can, value, next, nextValue = next, nextValue, can, value
	}
}
