package sandbox

import (
	"fmt"
	"path"
	"strings"
)

// Seatbelt returns a profile for sandbox-exec of macOS that restricts a command as far as that system can: it reads installed
// programs, the paths in Options and the project, and changes the project, apart from protected names, and the directories home and
// temp. The paths are paths of a Mac; symbolic links must be followed already, since rules hold for real paths. No kind uses the
// profile yet: it has not been tried on a Mac.
func Seatbelt(o Options, home, temp string) string {
	o = o.withDefaults()
	var b strings.Builder
	rule := func(action, operations string, filters ...string) {
		if len(filters) > 0 {
			fmt.Fprintf(&b, "(%s %s\n  %s)\n", action, operations, strings.Join(filters, "\n  "))
		}
	}
	b.WriteString("(version 1)\n(deny default)\n(import \"system.sb\")\n(allow process-exec process-fork)\n(allow signal (target same-sandbox))\n(allow sysctl-read)\n")
	readable := subpaths("/usr", "/bin", "/sbin", "/opt", "/System", "/Library/Developer", "/Library/Frameworks", "/Library/Apple", "/Applications/Xcode.app", "/private/etc", "/private/var/db/timezone", "/dev")
	rule("allow", "file-read*", append(append(readable, subpaths(o.Read...)...), subpaths(o.Dirs...)...)...)
	rule("allow", "file-read-metadata", `(literal "/")`)
	writable := append([]string{home, temp}, o.Write...)
	if !o.ReadOnly {
		writable = append(writable, o.Dirs...)
	}
	rule("allow", "file-read* file-write*", subpaths(writable...)...)
	rule("allow", "file-write*", `(literal "/dev/null")`, `(literal "/dev/zero")`, `(literal "/dev/tty")`)
	// The last rule that fits decides.
	var protected, exceptions, hidden []string
	for _, dir := range o.Dirs {
		for _, name := range o.Protected {
			if exception, ok := strings.CutPrefix(name, "!"); ok {
				exceptions = append(exceptions, regex(dir, exception))
			} else {
				protected = append(protected, regex(dir, name))
			}
		}
	}
	for _, name := range o.Hidden {
		hidden = append(hidden, regex(path.Dir(name), path.Base(name)))
	}
	if !o.ReadOnly {
		rule("deny", "file-write*", protected...)
		rule("allow", "file-write*", exceptions...)
	}
	rule("deny", "file-read* file-write*", hidden...)
	switch o.Network {
	case NetworkOn:
		b.WriteString("(allow network-outbound (remote ip))\n(allow network-inbound (local ip))\n(allow network-bind (local ip))\n" +
			"(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
	case NetworkLoopback:
		b.WriteString("(allow network-outbound (remote ip \"localhost:*\"))\n(allow network-inbound (local ip \"localhost:*\"))\n(allow network-bind (local ip \"localhost:*\"))\n")
	}
	rule("allow", "network-outbound network-bind", append(literals(o.Sockets...), subpaths(append([]string{temp}, o.Dirs...)...)...)...)
	return b.String()
}

func subpaths(paths ...string) []string {
	var all []string
	for _, p := range paths {
		all = append(all, "(subpath "+seatbeltString(p)+")")
	}
	return all
}

func literals(paths ...string) []string {
	var all []string
	for _, p := range paths {
		all = append(all, "(literal "+seatbeltString(p)+")")
	}
	return all
}

// seatbeltString is a string of the language of profiles, which is Scheme.
func seatbeltString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// regex is a filter for a name with wildcards in a directory, and for all below it. It also holds for names that do not exist.
func regex(dir, name string) string {
	var b strings.Builder
	fixed := len(path.Clean(dir))
	for i, r := range path.Join(dir, name) {
		switch {
		case r == '*' && i >= fixed:
			b.WriteString("[^/]*")
		case r == '?' && i >= fixed:
			b.WriteString("[^/]")
		case strings.ContainsRune(`\.+*?()[]{}^$|`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	// Within #"…" a backslash is one of the expression.
	return `(regex #"^` + strings.ReplaceAll(b.String(), `"`, `\"`) + `(/.*)?$")`
}
