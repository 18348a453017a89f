package command

import "strings"

// cmdletOf is the full name of a command of PowerShell.
func cmdletOf(name string) string {
	switch name = strings.ToLower(name); name {
	case "rm", "ri", "del", "erase", "rd", "rmdir":
		return "remove-item"
	case "iex":
		return "invoke-expression"
	case "gci", "dir", "ls":
		return "get-childitem"
	case "gi":
		return "get-item"
	case "mi", "move", "mv":
		return "move-item"
	case "sc", "ac", "out-file", "add-content", "set-content", "clear-content", "clc":
		return "set-content"
	case "saps", "start":
		return "start-process"
	case "sl", "cd", "chdir", "set-location", "pushd", "push-location":
		return "set-location"
	case "spps", "kill":
		return "stop-process"
	}
	return name
}

// cmdlet looks at a command of PowerShell, and gives the paths that it finds.
func (r *reader) cmdlet(argv, source []string) []string {
	name := cmdletOf(argv[0])
	var paths []string
	recurse := false
	valueOf := ""
	for _, arg := range argv[1:] {
		lower := strings.ToLower(arg)
		switch {
		case arg == "=" || arg == "":
		case strings.HasPrefix(arg, "-") && len(arg) > 1 && isLetter(arg[1]):
			recurse = recurse || strings.HasPrefix("-recurse", strings.TrimSuffix(lower, ":$true"))
			valueOf = lower
		case valueOf == "-filter" || valueOf == "-include" || valueOf == "-exclude" || valueOf == "-erroraction" || valueOf == "-ea" || valueOf == "-depth" || valueOf == "-encoding" || valueOf == "-value" || valueOf == "-itemtype":
			valueOf = ""
		default:
			paths = append(paths, arg)
			valueOf = ""
		}
	}
	switch name {
	case "get-childitem", "get-item":
		if len(paths) == 0 {
			paths = []string{"."}
		}
		if strings.Contains(strings.ToLower(strings.Join(argv, " ")), "-filter") || strings.Contains(strings.ToLower(strings.Join(argv, " ")), "-include") {
			for i := range paths {
				paths[i] += "/" + inner
			}
		}
		return paths
	case "where-object", "where", "?", "select-object", "select", "sort-object", "foreach-object", "%":
		for i := range source {
			source[i] += "/" + inner
		}
		return source
	case "remove-item":
		r.psRemove(argv, paths, source, recurse)
	case "set-content", "move-item", "copy-item", "new-item":
		if len(paths) > 0 {
			r.write(argv, windowsName(paths[len(paths)-1]))
			if name == "move-item" {
				r.movedAway(argv, windowsName(paths[0]))
			}
		}
	case "set-location":
		if len(paths) > 0 {
			r.changeDir([]string{"cd", windowsName(paths[0])})
		}
	default:
		r.psCommand(name, argv, paths)
	}
	return nil
}

// psRemove looks at Remove-Item.
func (r *reader) psRemove(argv, paths, source []string, recurse bool) {
	if !r.listed(argv, program(argv[0])) {
		return
	}
	r.windowsDelete(argv, paths, recurse)
	if len(paths) == 0 {
		for _, path := range source {
			r.wipe(argv, strings.TrimSuffix(windowsName(path), "/"))
		}
	}
	for _, path := range paths {
		if lower := strings.ToLower(path); strings.HasPrefix(lower, "hklm:") || strings.HasPrefix(lower, "hkey_") || strings.HasPrefix(lower, "cert:") {
			r.refuse(ruleWrite, argv, "it changes the registry of the machine")
		}
	}
}

// psCommand looks at other commands of PowerShell, and at programs.
func (r *reader) psCommand(name string, argv, paths []string) {
	switch name {
	case "format-volume", "clear-disk", "initialize-disk", "remove-partition", "resize-partition", "set-disk", "new-partition", "remove-virtualdisk", "clear-recyclebin", "reset-physicaldisk":
		r.refuse(ruleDevice, argv, "it changes disks or partitions")
	case "stop-computer", "restart-computer", "suspend-computer":
		r.refuse(ruleSystem, argv, "it stops or restarts the machine")
	case "stop-process":
		for _, path := range paths {
			if path == "*" {
				r.refuse(ruleSystem, argv, "it ends every process")
			}
		}
	case "register-scheduledtask", "new-scheduledtask", "new-service", "set-service":
		r.refuse(ruleSchedule, argv, "it changes what runs by the clock or when the machine starts")
	case "set-executionpolicy":
		r.doubt(argv, "it changes which scripts can run")
	case "invoke-expression":
		text := strings.Join(argv[1:], " ")
		if !known(text) || text == "" {
			r.doubt(argv, "the script that it runs is computed")
			return
		}
		r.powershell(text)
	case "start-process":
		if len(paths) > 0 {
			r.cmdLine(append([]string(nil), paths...), unknown)
		}
	case "if", "elseif", "else", "foreach", "for", "while", "switch", "try", "catch", "finally", "function", "param", "do", "until", "begin", "process", "end", "filter", "class", "using", "throw":
	default:
		if strings.ContainsAny(argv[0], unknown) {
			r.unnamed(argv)
			return
		}
		if !strings.Contains(name, "-") || strings.HasSuffix(name, ".exe") || r.policy.Allowed != nil || r.policy.Denied != nil {
			r.cmdLine(append([]string(nil), argv...), unknown)
		}
	}
}
