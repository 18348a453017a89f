package command

import (
	"path"
	"slices"
	"strings"
)

// cleanPath returns an absolute path in the form in which paths are compared: with slashes, and for Windows in lower case.
func cleanPath(name string) string {
	if !hasDrive(name) {
		return path.Clean(name)
	}
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	return name[:2] + path.Clean("/"+name[2:])
}

// hasDrive reports whether a path begins with the letter of a drive.
func hasDrive(name string) bool {
	return len(name) >= 2 && name[1] == ':' && name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z'
}

// absolute returns the clean path of a name in a command. false means that it is not known where the path begins or which
// directory ".." leaves. Links are not followed: nothing here reads a file system.
func (k *checker) absolute(name string) (string, bool) {
	if i := strings.IndexAny(name, unknowns); i == 0 || i > 0 && strings.Contains(name[i:], "..") {
		return "", false
	}
	if !strings.HasPrefix(name, "/") && !hasDrive(name) {
		if k.dir == "" {
			return "", false
		}
		name = k.dir + "/" + name
	}
	return cleanPath(name), true
}

// below reports whether a path is the directory or in it.
func below(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// wildcardParent returns the directory of which a path means everything: /a for /a/*, /a/.* and /a/?*.
func wildcardParent(name string) string {
	for {
		i := strings.LastIndexByte(name, '/')
		if i < 0 || strings.Trim(name[i+1:], star+one+".") != "" || !strings.ContainsAny(name[i+1:], globs) {
			return name
		}
		if name = name[:i]; name == "" || strings.HasSuffix(name, ":") {
			return name + "/"
		}
	}
}

// depth returns the number of names in an absolute path.
func depth(name string) int { return strings.Count(strings.TrimSuffix(withoutDrive(name), "/"), "/") }

func withoutDrive(name string) string {
	if hasDrive(name) {
		return name[2:]
	}
	return name
}

// inProject reports whether a path is a directory of the project or in it.
func (k *checker) inProject(name string) bool {
	return slices.ContainsFunc(k.project, func(dir string) bool { return (dir != "/" || len(k.policy.Dirs) > 0) && below(name, dir) })
}

// holdsProject reports whether a path is a directory of the project or one above it.
func (k *checker) holdsProject(name string) bool {
	return slices.ContainsFunc(k.project, func(dir string) bool { return below(dir, name) })
}

// isTemporary reports whether a path lies in a directory for temporary files.
func isTemporary(name string) bool {
	name = strings.TrimPrefix(name, "/private")
	for _, dir := range []string{"/tmp/", "/var/tmp/", "/dev/shm/"} {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return strings.HasPrefix(name, "/var/folders/") && depth(name) > 4 || hasDrive(name) && strings.Contains(name, "/appdata/local/temp/")
}

// ofSystem reports whether a path belongs to the operating system: the root, the names at the top, and the trees of programs,
// configuration and devices. The project can lie in one of them, deeper.
func (k *checker) ofSystem(name string) bool {
	for _, dir := range k.project {
		if name != dir && below(name, dir) && (depth(dir) >= 2 || depth(dir) == 1 && !systemTree(dir)) {
			return false
		}
	}
	return depth(name) <= 1 || systemTree(name)
}

func systemTree(name string) bool {
	top, _, _ := strings.Cut(strings.TrimPrefix(withoutDrive(name), "/"), "/")
	switch strings.ToLower(top) { // some file systems do not tell cases apart
	case "etc", "usr", "bin", "sbin", "boot", "dev", "proc", "sys", "lib", "lib32", "lib64", "run", "var", "private", "nix", "snap", "system",
		"library", "applications", "windows", "program files", "program files (x86)", "programdata":
		return !isTemporary(name)
	}
	return strings.ContainsAny(top, unknowns+globs)
}

// undeletable says why a path must not be deleted with all that is in it; "" if it may.
func (k *checker) undeletable(abs string) string {
	abs = wildcardParent(abs)
	switch {
	case abs == "/" || hasDrive(abs) && len(abs) <= 3:
		return "which is everything on the machine"
	case below(k.home, abs):
		return "which is or holds the home directory"
	case k.holdsProject(abs):
		return "which is or holds the whole project"
	case k.ofSystem(abs):
		return "which belongs to the system"
	case k.inProject(abs) || isTemporary(abs):
		return ""
	}
	if rest, ok := strings.CutPrefix(abs, k.home+"/"); ok && isCache(rest) {
		return ""
	}
	return "which lies outside of the project"
}

// isCache reports whether a path in a home can be deleted at any time.
func isCache(name string) bool {
	first, rest, _ := strings.Cut(name, "/")
	switch first {
	case ".cache", ".npm", ".gradle", ".m2", ".ivy2", ".sbt", ".cargo", ".rustup", ".nuget", ".pnpm-store", ".yarn", ".bun", ".expo",
		".android", ".cocoapods", ".pub-cache", ".node-gyp", ".ccache", "node_modules", ".nvm", ".pyenv", ".tox", "go", "tmp":
		return true
	}
	return first == "Library" && (strings.HasPrefix(rest, "Caches/") || strings.HasPrefix(rest, "Developer/"))
}

// protected returns the reason why a file must not be written; "" if it may be. Protected are only files that decide about logins and about programs that run then.
func (k *checker) protected(abs string) string {
	if k.inProject(abs) && !k.inProject(k.home) {
		return ""
	}
	abs = strings.TrimPrefix(strings.ToLower(abs), "/private")
	for _, home := range []string{strings.ToLower(k.home), "/root"} {
		name, _ := strings.CutPrefix(abs, home+"/")
		switch first, rest, _ := strings.Cut(name, "/"); first {
		case ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin":
			return "which selects the programs that run at login"
		case ".ssh":
			if rest != "known_hosts" && rest != "" {
				return "which controls logins"
			}
		}
	}
	name, _ := strings.CutPrefix(abs, "/etc/")
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "passwd", "shadow", "group", "gshadow", "sudoers", "sudoers.d", "doas.conf", "crontab", "cron.d", "cron.daily", "cron.hourly",
		"cron.weekly", "cron.monthly", "ld.so.preload", "profile", "profile.d", "bash.bashrc", "bashrc", "zshrc", "zshenv", "environment",
		"rc.local", "pam.d", "ssh", "fstab":
		return "which controls the rights of users"
	}
	if below(abs, "/var/spool/cron") {
		return "which schedules programs"
	}
	return ""
}
