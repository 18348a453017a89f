package command

import (
	"path"
	"strings"
)

// absolute is the clean path of what a command names, by its working directory; false means that it is not known where it
// begins. Links are not followed: nothing here touches a file system.
func (r *reader) absolute(name string) (string, bool) {
	if len(name) >= 2 && name[1] == ':' && isLetter(name[0]) || strings.HasPrefix(name, `\\`) {
		return windowsPath(name), true
	}
	if !strings.HasPrefix(name, "/") {
		dir, _ := r.value("PWD")
		if strings.HasPrefix(name, unknown) || strings.HasPrefix(name, foreign) || strings.HasPrefix(name, hook) || strings.HasPrefix(dir, unknown) {
			return "", false
		}
		if windows := len(dir) >= 2 && dir[1] == ':'; windows {
			return windowsPath(dir + "/" + name), true
		}
		name = dir + "/" + name
	}
	through := strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.")
	return r.behindLinks(path.Clean(name), through), !climbs(name)
}

// behindLinks is a path with the longest link in it replaced that the script itself made; one at its end only where the path goes
// through it.
func (r *reader) behindLinks(name string, through bool) string {
	longest := ""
	for link, to := range r.programs {
		if len(link) > len(longest) && below(name, link, !through) && strings.HasPrefix(to, "/") {
			longest = link
		}
	}
	if longest == "" {
		return name
	}
	return path.Join(r.programs[longest], name[len(longest):])
}

// climbs reports whether ".." follows something that is not known.
func climbs(name string) bool {
	i := strings.IndexAny(name, unknowns+globs)
	return i >= 0 && strings.Contains(name[i:], "..")
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// windowsPath is a path of Windows in the form in which they are compared: C:/dir, in lower case.
func windowsPath(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	if strings.HasPrefix(name, "//") {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "//?/"), "//./")
	}
	if len(name) < 2 || name[1] != ':' {
		return path.Clean(name)
	}
	return name[:2] + path.Clean("/"+name[2:])
}

// comparable is a configured directory in the form in which paths are compared.
func comparable(dir string) string {
	if len(dir) >= 2 && dir[1] == ':' && isLetter(dir[0]) {
		return windowsPath(dir)
	}
	return path.Clean(dir)
}

// below reports whether a path is the directory or, with strictly, in it.
func below(name, dir string, strictly bool) bool {
	if name == dir {
		return !strictly
	}
	return strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// inside reports whether a path lies in the project, or is it.
func (r *reader) inside(name string) bool {
	for _, dir := range r.project {
		if (dir != "/" || len(r.policy.Dirs) > 0) && below(name, dir, false) {
			return true
		}
	}
	return false
}

// temporary reports whether a path lies in a directory for temporary files.
func temporary(name string) bool {
	for _, dir := range []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm"} {
		if below(name, dir, true) {
			return true
		}
	}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "/private"), "/var/folders/"); ok {
		return strings.Count(rest, "/") >= 3
	}
	return len(name) > 2 && name[1] == ':' && strings.Contains(name, "/appdata/local/temp/")
}

// depth is the number of names in an absolute path.
func depth(name string) int {
	if len(name) >= 2 && name[1] == ':' {
		name = name[2:]
	}
	return strings.Count(strings.TrimSuffix(name, "/"), "/")
}

// top is the first name of an absolute path.
func top(name string) string {
	if len(name) >= 2 && name[1] == ':' {
		name = name[2:]
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	return first
}

// ofSystem reports whether a path is of the operating system: the root, what is at the top, and the trees of programs,
// configuration and devices. What the user works on can lie in some of them, deeper.
func (r *reader) ofSystem(name string) bool {
	for _, dir := range r.project {
		if depth(dir) >= 2 && below(name, dir, true) || depth(dir) == 1 && !systemTree(dir) && below(name, dir, true) {
			return false
		}
	}
	return depth(name) <= 1 || systemTree(name)
}

func systemTree(name string) bool {
	switch strings.ToLower(top(name)) { // some file systems do not tell cases apart
	case "etc", "usr", "bin", "sbin", "boot", "dev", "proc", "sys", "lib", "lib32", "lib64", "libx32", "run", "nix", "snap", "efi", "cores",
		"system", "library", "applications", "network",
		"windows", "program files", "program files (x86)", "programdata", "system volume information", "$recycle.bin", "recovery":
		return !temporary(name)
	case "var":
		return !below(name, "/var/tmp", false) && !below(name, "/var/www", true) && !below(name, "/var/folders", false)
	case "private":
		return systemTree(strings.TrimPrefix(name, "/private"))
	case "opt":
		return depth(name) <= 2
	}
	return strings.ContainsAny(top(name), unknowns+globs)
}

// whole is the directory of which a path means everything: /a for /a/*, /a/.* and /a/?*.
func whole(name string) string {
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

// holdsProject reports whether a path is the project or a directory above it, or a pattern that can mean one.
func (r *reader) holdsProject(name string) bool {
	for _, dir := range r.project {
		if below(dir, name, false) {
			return true
		}
		if strings.ContainsAny(name, globs) {
			for up := dir; len(up) > 1 && !strings.HasSuffix(up, ":/"); up = path.Dir(up) {
				if depth(up) == depth(name) && matches(name, up) {
					return true
				}
			}
		}
	}
	return false
}
