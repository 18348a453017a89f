package command

import (
	"slices"
	"strings"
)

// windowsName is a path as a command for Windows names it, with its patterns active.
func windowsName(name string) string { return unquoted(strings.ReplaceAll(name, `\`, "/")) }

// windowsRules asks what is dangerous about the commands of Windows; true means that it is one of those.
func (r *reader) windowsRules(argv []string, in string) bool {
	base := program(argv[0])
	if windowsOwn(base) && !r.listed(argv, base) {
		return true
	}
	flags, operands := slashes(argv[1:])
	all := strings.Contains(flags, "/s")
	switch base {
	case "del", "erase":
		if all && strings.Contains(flags, "/f") && strings.Contains(flags, "/q") {
			r.refuse(ruleDelete, argv, "it deletes a whole tree without asking")
		}
		r.windowsDelete(argv, operands, all)
	case "rd", "rmdir":
		r.windowsDelete(argv, operands, all)
	case "cmd":
		r.cmdReads(argv, in)
	case "robocopy":
		if strings.Contains(flags, "/mir") || strings.Contains(flags, "/purge") {
			r.windowsDelete(argv, operands[min(1, len(operands)):min(2, len(operands))], true)
		}
	case "copy", "xcopy", "move", "ren", "rename":
		if len(operands) > 1 {
			if base == "move" {
				r.movedAway(argv, windowsName(operands[0]))
			}
			r.write(argv, windowsName(operands[len(operands)-1]))
		}
	case "format", "shutdown", "diskpart", "bcdedit":
		if base == "shutdown" && (strings.Contains(flags, "/a") || strings.Contains(flags, "/?")) {
			return true
		}
		r.system(base, argv)
		if base == "format" && slices.ContainsFunc(operands, func(arg string) bool { return len(arg) == 2 && arg[1] == ':' }) {
			r.refuse(ruleDevice, argv, "it formats a drive")
		}
	default:
		return r.windowsTools(base, argv, flags, operands)
	}
	return true
}

// windowsOwn reports whether a name is looked at by these rules alone.
func windowsOwn(base string) bool {
	switch base {
	case "del", "erase", "rd", "rmdir", "format", "move", "copy", "xcopy", "robocopy", "ren", "rename":
		return true
	}
	return false
}

// slashes takes arguments apart into options, which begin with a slash, and others.
func slashes(args []string) (flags string, operands []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "/") && len(arg) > 1 {
			flags += strings.ToLower(arg)
		} else {
			operands = append(operands, arg)
		}
	}
	return flags, operands
}

// cmdReads looks at cmd as a command: its script is in its arguments, or what it reads.
func (r *reader) cmdReads(argv []string, in string) {
	if len(argv) > 1 || in == unknown {
		r.cmdRun(argv)
		return
	}
	if strings.Contains(in, foreign) {
		r.refuse(ruleRemote, argv, "it runs text that was downloaded or decoded and that nobody has read")
	}
	r.through = append(r.through, "cmd")
	r.cmdScript(in)
	r.through = r.through[:len(r.through)-1]
}

// windowsTools asks about programs that come with Windows.
func (r *reader) windowsTools(base string, argv []string, flags string, operands []string) bool {
	verb := ""
	if len(operands) > 0 {
		verb = strings.ToLower(operands[0])
	}
	joined := strings.ToLower(strings.Join(argv[1:], " "))
	switch base {
	case "vssadmin", "wbadmin":
		if verb == "delete" || verb == "resize" {
			r.refuse(ruleDevice, argv, "it destroys backups")
		}
	case "cipher":
		if strings.Contains(flags, "/w") {
			r.refuse(ruleDevice, argv, "it overwrites a drive")
		}
	case "reg":
		key := strings.ToLower(strings.Join(operands[min(1, len(operands)):], " "))
		ofMachine := strings.HasPrefix(key, "hklm") || strings.HasPrefix(key, "hkey_local") || strings.Contains(key, `currentversion\run`)
		if verb == "import" || (verb == "delete" || verb == "add") && ofMachine {
			r.refuse(ruleWrite, argv, "it changes the registry of the machine")
		}
	case "takeown", "icacls", "cacls", "attrib":
		if strings.Contains(flags, "/r") || strings.Contains(flags, "/t") || strings.Contains(flags, "/s") {
			r.windowsRights(argv, operands)
		}
	case "taskkill":
		if strings.Contains(flags, "/f") && (slices.Contains(operands, "*") || strings.Contains(joined, "csrss") || strings.Contains(joined, "wininit") || strings.Contains(joined, "pid ne 0")) {
			r.refuse(ruleSystem, argv, "it ends processes of the system")
		}
	case "certutil", "bitsadmin":
		if strings.Contains(joined, "urlcache") || strings.Contains(joined, "transfer") || strings.Contains(joined, "-decode") {
			r.doubt(argv, "it downloads or decodes what nobody has read")
		}
	case "mshta", "regsvr32", "wscript", "cscript", "rundll32":
		if strings.Contains(joined, "http:") || strings.Contains(joined, "https:") || strings.Contains(joined, "javascript:") || strings.Contains(joined, "vbscript:") {
			r.refuse(ruleRemote, argv, "it runs code from its arguments or from the network")
		}
	case "wmic":
		if strings.Contains(joined, "process call create") || strings.Contains(joined, " delete") || strings.Contains(joined, "shutdown") || strings.Contains(joined, "reboot") {
			r.refuse(ruleSystem, argv, "it runs or ends programs, or changes the machine")
		}
	case "forfiles":
		r.forfiles(argv)
	case "runas":
		if len(operands) > 0 {
			r.cmdScript(operands[len(operands)-1])
		}
	default:
		return false
	}
	return true
}

// forfiles looks at the command that forfiles runs for the files below a directory.
func (r *reader) forfiles(argv []string) {
	start, script := ".", ""
	for i, arg := range argv[:len(argv)-1] {
		if strings.EqualFold(arg, "/p") {
			start = argv[i+1]
		} else if strings.EqualFold(arg, "/c") {
			script = argv[i+1]
		}
	}
	r.cmdScript(strings.NewReplacer("@path", start+`\*`, "@file", start+`\*`).Replace(script))
}

// windowsRights looks at changes of the rights of whole trees.
func (r *reader) windowsRights(argv, operands []string) {
	for _, operand := range operands {
		for _, abs := range r.places(argv, windowsName(operand)) {
			if abs = whole(abs); r.ofSystem(abs) && depth(abs) <= 2 || below(r.home, abs, false) {
				r.refuse(ruleRights, argv, "it changes the rights of %q and all that is in it", clip(abs))
			}
		}
	}
}

// windowsDelete looks at what is deleted, with all that is below it or not.
func (r *reader) windowsDelete(argv, operands []string, all bool) {
	for _, operand := range operands {
		name := windowsName(operand)
		if strings.HasPrefix(name, "/") && len(r.dir) > 1 && r.dir[1] == ':' && !strings.HasPrefix(name, "//") {
			name = r.dir[:2] + name
		}
		if strings.HasPrefix(name, "//./") {
			r.refuse(ruleDevice, argv, "it changes a device")
		}
		name = strings.ReplaceAll(name, star+"."+star, star)
		if all {
			if i := strings.LastIndexByte(name, '/'); i < 3 && strings.Contains(name[i+1:], star) && len(name) > 1 && name[1] == ':' {
				name = name[:min(3, len(name))] // every directory of the drive is looked into
			}
			r.wipe(argv, name)
		} else {
			if abs, ok := r.absolute(name); ok && whole(abs) != abs && r.wiped(abs) != "" && r.ofSystem(whole(abs)) {
				r.refuse(ruleDelete, argv, "it deletes %q", clip(abs))
			}
			r.write(argv, name)
		}
	}
}
