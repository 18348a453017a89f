package command

import "strings"

// listed applies the lists of denied and allowed commands to one program.
func (r *reader) listed(argv []string, base string) bool {
	for _, pattern := range r.policy.Denied {
		if denies(pattern, argv, base) {
			r.refuse(ruleDenied, argv, "the commands %q are denied", pattern)
			return false
		}
	}
	if len(r.policy.Allowed) == 0 || r.unlisted > 0 || isBuiltin(argv[0]) {
		return true
	}
	if w, ok := wrapperOf(base); ok && !w.listed || base == "xargs" {
		return true // what it runs is looked at
	}
	if isShell(base) && len(argv) > 2 && len(argv[1]) > 1 && argv[1][0] == '-' && argv[1][1] != '-' && strings.HasSuffix(argv[1], "c") {
		return true // so is its script
	}
	for _, pattern := range r.policy.Allowed {
		if allows(pattern, argv) {
			return true
		}
	}
	r.refuse(ruleAllowed, argv, "it is none of the commands that are allowed")
	return false
}

// allows reports whether a pattern means a command. One word names a program, whatever its arguments; a name without a slash is
// one that is looked up, or that of a program of the system.
func allows(pattern string, argv []string) bool {
	words := strings.Fields(pattern)
	if len(words) == 0 {
		return false
	}
	name := argv[0]
	if !strings.ContainsAny(words[0], `/\`) {
		for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"} {
			if rest, ok := strings.CutPrefix(name, dir); ok && !strings.Contains(rest, "/") {
				name = rest
			}
		}
		if strings.Contains(name, "/") {
			return false
		}
	}
	if !wordMatches(words[0], name) {
		return false
	}
	return len(words) == 1 || wordsMatch(words[1:], argv[1:])
}

// wordsMatch compares arguments; a "*" alone stands for any number of them.
func wordsMatch(words, args []string) bool {
	w, a, retry, from := 0, 0, -1, 0
	for a < len(args) {
		switch {
		case w < len(words) && words[w] == "*":
			retry, from = w, a
			w++
		case w < len(words) && wordMatches(words[w], args[a]):
			w, a = w+1, a+1
		case retry >= 0:
			from++
			w, a = retry+1, from
		default:
			return false
		}
	}
	for w < len(words) && words[w] == "*" {
		w++
	}
	return w == len(words)
}

func wordMatches(pattern, text string) bool {
	return matches(strings.NewReplacer("*", star, "?", one).Replace(cleaned(pattern)), text)
}

// denies reports whether a pattern forbids a command. Options can stand between what it names, further arguments behind, and
// what is not known can be what it names.
func denies(pattern string, argv []string, base string) bool {
	words := strings.Fields(pattern)
	if len(words) == 0 || !wordMatches(words[0], argv[0]) && !wordMatches(strings.ToLower(words[0]), base) {
		return false
	}
	words = words[1:]
	for len(words) > 0 && words[len(words)-1] == "*" {
		words = words[:len(words)-1]
	}
	return denied(words, argv[1:])
}

// denied tries all ways at once: can[w] means that the first w words are found, value[w] that the next argument may be the
// value of an option.
func denied(words, args []string) bool {
	can, value := make([]bool, len(words)+1), make([]bool, len(words)+1)
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
		next, nextValue := make([]bool, len(words)+1), make([]bool, len(words)+1)
		for w, word := range words {
			stays := can[w] && (isOption || word == "*") || value[w]
			next[w] = next[w] || stays
			nextValue[w] = can[w] && isOption
			if can[w] && (wordMatches(word, arg) || !certain(arg) && matches(arg, word)) {
				next[w+1] = true
			}
		}
		can, value = next, nextValue
	}
}
