package command

import "strings"

// option is an option of a program: its name with the dashes, and its value if it has one.
type option struct{ name, value string }

// options splits the arguments of a program. valued names the options that take a value, each between spaces. With wrapper the
// first operand ends the options, as in programs that run another one.
func options(args []string, valued string, wrapper bool) (found []option, operands []string) {
	takes := func(name string) bool { return strings.Contains(valued, " "+name+" ") }
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return found, append(operands, args[i+1:]...)
		case len(arg) < 2 || arg[0] != '-':
			if wrapper {
				return found, args[i:]
			}
			operands = append(operands, arg)
		case arg[1] == '-' || takes(arg):
			name, value, ok := strings.Cut(arg, "=")
			if takes(arg) && !ok && i+1 < len(args) {
				i++
				value = args[i]
			}
			found = append(found, option{name, value})
		default:
			for j := 1; j < len(arg); j++ {
				name := "-" + arg[j:j+1]
				if !takes(name) {
					found = append(found, option{name, ""})
					continue
				}
				value := arg[j+1:]
				if value == "" && i+1 < len(args) {
					i++
					value = args[i]
				}
				found = append(found, option{name, value})
				break
			}
		}
	}
	return found, operands
}

// has returns the value of the first option that has one of the names.
func has(found []option, names ...string) (value string, ok bool) {
	for _, o := range found {
		for _, name := range names {
			if o.name == name {
				return o.value, true
			}
		}
	}
	return "", false
}

// program returns the name of a program without its directory and the ending that Windows gives it, in lower case: many file
// systems do not tell cases apart.
func program(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.ToLower(name)
	for _, suffix := range []string{".exe", ".com", ".cmd", ".bat"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			return base
		}
	}
	return name
}

// isShell reports whether a program is a shell whose scripts are parsed: sh, or a shell that understands the scripts of sh.
func isShell(base string) bool {
	switch base {
	case "sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "oksh", "yash", "zsh", "rbash", "posh":
		return true
	}
	return false
}
