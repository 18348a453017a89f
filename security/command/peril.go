package command

import (
	"strings"
)

// wipe looks at the recursive deletion of a path.
func (r *reader) wipe(argv []string, name string) {
	if name == "" {
		return
	}
	for _, variant := range emptied(name) {
		if abs := whole(variant); abs == "/" || abs == "//" {
			r.refuse(ruleDelete, argv, "%q means everything on the machine if the variable is empty", clip(name))
			return
		}
	}
	for _, abs := range r.places(argv, name) {
		if why := r.wiped(abs); why != "" {
			r.refuse(ruleDelete, argv, "it deletes %q, %s", clip(abs), why)
			return
		}
		if r.strict() && !certain(strings.ReplaceAll(abs, inner, "")) {
			r.doubt(argv, "not all of what it deletes is known")
			return
		}
	}
}

// emptied is a name as it is when the variable that it begins with is empty.
func emptied(name string) []string {
	if rest, ok := strings.CutPrefix(name, unknown); ok && strings.HasPrefix(rest, "/") {
		return []string{rest}
	}
	return nil
}

// places are the absolute paths that a name can mean; a name of which that is not known is for strict mode to refuse.
func (r *reader) places(argv []string, name string) []string {
	dirs := []string{r.dir}
	if v, ok := r.vars["PWD"]; ok {
		dirs = v.values
	}
	saved, had := r.vars["PWD"]
	var all []string
	for _, dir := range dirs {
		r.set("PWD", scalar(dir))
		abs, ok := r.absolute(name)
		if ok {
			all = append(all, abs)
			continue
		}
		if climbs(name) {
			r.refuse(ruleDelete, argv, "it climbs out of places that are not known")
		}
		r.doubt(argv, "where %q lies is not known", clip(name))
	}
	if had {
		r.vars["PWD"] = saved
	} else {
		delete(r.vars, "PWD")
	}
	return all
}

// wiped says why a path must not be deleted with all that is in it; "" if it may.
func (r *reader) wiped(abs string) string {
	abs = whole(abs)
	switch {
	case r.remote > 0:
		if abs == r.home || depth(abs) <= 1 || systemTree(abs) && depth(abs) <= 2 && top(abs) != "var" {
			return "which belongs to the system"
		}
		return ""
	case abs == "/" || abs == "//":
		return "which is everything on the machine"
	case abs == r.home || below(r.home, abs, false):
		return "which is or holds the home directory"
	case r.holdsProject(abs):
		return "which is or holds the whole project"
	case r.ofSystem(abs):
		return "which belongs to the system"
	case below(abs, r.home, true) && keepsake(strings.TrimPrefix(abs, r.home)):
		return "which the user would miss"
	case r.inside(abs) || temporary(abs):
		return ""
	case r.strict() && len(r.policy.Dirs) > 0:
		return "which lies outside of the project"
	case below(abs, r.home, true):
		if depth(abs)-depth(r.home) >= 2 || isCache(strings.TrimPrefix(abs, r.home+"/")) {
			return ""
		}
	}
	return "which lies outside of the project"
}

// keepsake reports whether a path in a home, with its slash in front, holds keys, settings or documents.
func keepsake(name string) bool {
	first, rest, _ := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	switch first {
	case ".ssh", ".gnupg", ".aws", ".kube", ".password-store", ".mozilla":
		return true
	case ".config", ".local", "Documents", "Desktop", "Downloads", "Pictures", "Music", "Movies", "Videos", "Library", "documents", "desktop",
		"downloads", "pictures", "music", "videos", "appdata", "onedrive":
		return rest == ""
	}
	return false
}

// isCache reports whether a directory in a home can be deleted at any time.
func isCache(name string) bool {
	switch name {
	case ".cache", ".npm", ".gradle", ".m2", ".ivy2", ".sbt", ".cargo", ".rustup", ".nuget", ".pnpm-store", ".yarn", ".bun", ".expo",
		".android", ".cocoapods", ".dartServer", ".pub-cache", ".node-gyp", ".ccache", "node_modules", ".eslintcache", ".nvm", ".pyenv", ".tox", "go", "tmp":
		return true
	}
	return false
}

// write looks at a file that is written, replaced or deleted.
func (r *reader) write(argv []string, name string) {
	if name == "" || r.done() {
		return
	}
	if strings.HasPrefix(name, unknown) || strings.HasPrefix(name, foreign) {
		switch program(argv[0]) {
		case "touch", "mkdir", "rm", "unlink", "chmod", "chown", "chgrp", "sed", "gsed": // at worst they lose files one by one
		default:
			r.doubt(argv, "which file it changes is not known")
		}
		return
	}
	switch program(argv[0]) {
	case ">", "tee", "dd":
		name = r.origin(name) // what is written through a link
	}
	if strings.HasPrefix(name, "//./") {
		r.refuse(ruleDevice, argv, "it writes to the device %q", clip(name))
		return
	}
	abs, ok := r.absolute(name)
	if !ok {
		if r.strict() && len(r.policy.Dirs) > 0 && argv[0] == ">" && r.remote == 0 {
			r.refuse(ruleOutside, argv, "where %q lies is not known", clip(name))
		}
		return
	}
	if strings.HasPrefix(abs, "/dev/") {
		r.device(argv, abs)
		return
	}
	switch why := r.guarded(abs); {
	case why != "":
		r.refuse(ruleWrite, argv, "it changes %q, %s", clip(abs), why)
	case r.remote > 0 || !r.strict() || r.inside(abs) || temporary(abs+"/x"):
	case len(r.policy.Dirs) > 0:
		r.refuse(ruleOutside, argv, "it changes %q, which lies outside of the project", clip(abs))
	case r.ofSystem(abs) && !below(abs, "/usr/local", true) && !below(abs, "/opt", true):
		r.refuse(ruleWrite, argv, "it changes %q, which belongs to the system", clip(abs))
	}
}

// device looks at a device that is written to.
func (r *reader) device(argv []string, abs string) {
	name := strings.TrimPrefix(abs, "/dev/")
	switch name {
	case "null", "zero", "full", "stdout", "stderr", "stdin", "tty", "random", "urandom", "ptmx", "ttyS0":
		return
	}
	for _, harmless := range []string{"fd/", "pts/", "shm/", "tcp/", "udp/", "tty", "snd/", "video", "mqueue/"} {
		if strings.HasPrefix(name, harmless) {
			return
		}
	}
	r.refuse(ruleDevice, argv, "it writes to the device %q", clip(abs))
}

// guarded says why a file must not be changed; "" if it may.
func (r *reader) guarded(abs string) string {
	for _, dir := range r.project {
		if depth(dir) >= 1 && !systemTree(dir) && dir != r.home && below(abs, dir, true) && !below(r.home, dir, false) {
			return ""
		}
	}
	abs = strings.ToLower(abs) // some file systems do not tell cases apart
	if rest, ok := strings.CutPrefix(abs, strings.ToLower(r.home)+"/"); ok {
		return startsCode(rest)
	}
	for _, home := range []string{"/root/", "/home/", "/users/"} {
		rest, ok := strings.CutPrefix(abs, home)
		if home != "/root/" {
			_, rest, _ = strings.Cut(rest, "/")
		}
		if ok && rest != "" {
			return startsCode(rest)
		}
	}
	return ofMachine(strings.TrimPrefix(abs, "/private"))
}

// startsCode says why a file in a home must not be changed.
func startsCode(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	switch first {
	case ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
		".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".xinitrc", ".xsession", ".xprofile", ".inputrc", ".pam_environment",
		".forward", ".rhosts", ".shosts", ".netrc", ".pythonrc.py", ".gdbinit", ".vimrc":
		return "which decides what runs when the user logs in or starts a program"
	case ".ssh":
		if rest == "known_hosts" || rest == "" {
			return ""
		}
		return "which decides who can log in"
	case ".gnupg":
		return "which holds keys"
	case ".config":
		for _, dir := range []string{"autostart", "systemd", "fish"} {
			if below(rest, dir, false) {
				return "which decides what runs when the user logs in"
			}
		}
	case "library":
		if below(rest, "launchagents", false) {
			return "which decides what runs when the user logs in"
		}
	}
	return ""
}

// ofMachine says why a file of the system must not be changed.
func ofMachine(abs string) string {
	if rest, ok := strings.CutPrefix(abs, "/etc/"); ok {
		for _, name := range []string{"passwd", "shadow", "group", "gshadow", "sudoers", "sudoers.d", "crontab", "cron.d", "cron.daily",
			"cron.hourly", "cron.weekly", "cron.monthly", "ld.so.preload", "ld.so.conf", "ld.so.conf.d", "profile", "profile.d",
			"bash.bashrc", "bashrc", "zsh", "zshrc", "zshenv", "environment", "rc.local", "init.d", "inittab", "pam.d", "ssh", "fstab",
			"security", "securetty", "doas.conf", "systemd", "udev", "modprobe.d", "selinux", "nsswitch.conf"} {
			if matches(name, rest) || below(rest, name, true) || matches(rest, name) {
				return "which decides who can do what on the machine"
			}
		}
		return ""
	}
	for _, dir := range []string{"/boot", "/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/proc",
		"/sys", "/system", "/var/spool/cron", "/var/lib/dpkg", "/library/launchdaemons", "/library/launchagents", "/efi"} {
		if below(abs, dir, false) && !strings.HasPrefix(abs, "/proc/self/") {
			return "which belongs to the system"
		}
	}
	if depth(abs) == 1 && (abs == "/etc" || abs == "/dev") || abs == "/" {
		return "which belongs to the system"
	}
	if strings.HasPrefix(abs[min(2, len(abs)):], "/windows/") {
		return "which belongs to the system"
	}
	return ""
}
