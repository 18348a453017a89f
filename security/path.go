package security

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

const (
	maxPath      = 4096 // bytes
	maxComponent = 255  // bytes
)

// onWindows selects the name rules of Windows. There, backslashes separate names, a drive may come first, and device
// names, colons and trailing dots are refused. On other systems these are ordinary characters.
const onWindows = runtime.GOOS == "windows"

// cleanPath checks a path as text, before anything is opened, and cleans it: slashes, no "." or "..". A relative
// result stays below its start. cleanPath expands and decodes nothing: "~", "%2e" and "$HOME" are ordinary
// characters.
func cleanPath(given string) (clean string, absolute bool, err error) {
	return cleanPathOn(onWindows, given)
}

// cleanPathOn is cleanPath with the name rules of Windows or of other systems.
func cleanPathOn(windows bool, given string) (clean string, absolute bool, err error) {
	if err := checkText(given); err != nil {
		return "", false, err
	}
	p := given
	if windows {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if err := checkForm(given, p); err != nil {
		return "", false, err
	}
	drive := ""
	if windows && len(p) >= 3 && isLetter(p[0]) && p[1] == ':' && p[2] == '/' {
		drive, p = p[:2], p[2:]
	}
	absolute = p[0] == '/'
	depth := 0
	for name := range strings.SplitSeq(p, "/") {
		switch name {
		case "", ".":
			continue
		case "..":
			if depth--; depth < 0 && !absolute {
				return "", false, refuse(PermissionDenied, PathTraversal, given, quote(given)+" climbs out of the project with \"..\".",
					"Use a path below the project root, such as src/main.go.")
			}
			continue
		}
		depth++
		if fault := checkComponent(windows, name); fault != "" {
			return "", false, unsafeName(given, fault)
		}
	}
	return drive + path.Clean(p), absolute, nil
}

// checkText refuses text that is empty, longer than maxPath, not UTF-8, or that has invisible characters.
func checkText(given string) error {
	switch {
	case given == "":
		return refuse(InvalidParams, UnsafeName, given, "The path is empty.", `Give a path such as src/main.go, or "." for the project root.`)
	case len(given) > maxPath:
		return unsafeName(given, fmt.Sprintf("is longer than %d bytes", maxPath))
	case !utf8.ValidString(given):
		return unsafeName(given, "is not valid UTF-8")
	}
	for i, r := range given {
		if r < utf8.RuneSelf {
			if r < ' ' || r == 0x7f {
				return unsafeName(given, fmt.Sprintf("holds the control character U+%04X at byte %d", r, i))
			}
			continue
		}
		if isDeceptive(r) {
			return unsafeName(given, fmt.Sprintf("holds the invisible or direction-changing character U+%04X at byte %d", r, i))
		}
	}
	return nil
}

// isDeceptive reports whether a character is a control character, is invisible, or changes the display order of
// others. Variation selectors are allowed because emoji need them.
func isDeceptive(r rune) bool {
	return pattern.Ignorable(r) && !unicode.Is(unicode.Variation_Selector, r) || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp)
}

// checkForm refuses URLs, UNC paths and device paths.
func checkForm(given, p string) error {
	if scheme, rest, ok := strings.Cut(p, "://"); ok && scheme != "" && !strings.ContainsAny(scheme, "/") {
		next := "Give the path alone, such as src/main.go."
		if strings.EqualFold(scheme, "file") {
			next = "Give the path itself: " + quote("/"+strings.TrimLeft(rest, "/")) + ", or better one relative to the project root."
		}
		return refuse(InvalidParams, UnsafeName, given, quote(given)+" is a URL, not a path.", next)
	}
	if strings.HasPrefix(p, "//") {
		return refuse(InvalidParams, UnsafeName, given, quote(given)+" is a network or device path.", "Use a path relative to the project root, such as src/main.go.")
	}
	return nil
}

// checkComponent returns the problem of one name as a phrase for a message, or "".
func checkComponent(windows bool, name string) string {
	if len(name) > maxComponent {
		return fmt.Sprintf("holds a name longer than %d bytes", maxComponent)
	}
	if !windows {
		return ""
	}
	switch last := name[len(name)-1]; {
	case last == '.' || last == ' ':
		return "holds the name " + quote(name) + ", which ends in a dot or a space; Windows would drop it"
	case strings.ContainsRune(name, ':'):
		return "holds the name " + quote(name) + " with a colon, which stands for a drive or an alternate data stream on Windows"
	case isDevice(name):
		return "holds the name " + quote(name) + ", which is a device on Windows"
	}
	return ""
}

// checkEntry reports whether other calls accept the name of an existing entry.
func checkEntry(name string) bool {
	return name != "." && name != ".." && checkText(name) == nil && !strings.ContainsFunc(name, isSeparator) && checkComponent(onWindows, name) == "" && !rootfs.IsTemp(name)
}

// isSeparator reports whether a character separates the names of a path.
func isSeparator(r rune) bool { return r == '/' || onWindows && r == '\\' }

// isDevice reports whether Windows takes a name, whatever its extension, for a device.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.TrimRight(stem, " ")
	if len(stem) < 3 || !strings.ContainsRune("CPANLcpanl", rune(stem[0])) {
		return false
	}
	for _, device := range [...]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"} {
		if strings.EqualFold(stem, device) {
			return true
		}
	}
	port, number := stem[:3], stem[3:]
	return (strings.EqualFold(port, "COM") || strings.EqualFold(port, "LPT")) &&
		utf8.RuneCountInString(number) == 1 && strings.Contains("0123456789¹²³", number)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// unsafeName is the refusal of a name; fault continues "The path …".
func unsafeName(given, fault string) *Error {
	return refuse(InvalidParams, UnsafeName, given, "The path "+quote(given)+" "+fault+".",
		"Use an ordinary name. If a file of this name really exists, ask the user to rename it.")
}

// target is a caller's path that has passed all checks that need no file access.
type target struct {
	given string
	tree  *tree
	rel   string // cleaned, relative to the tree, with slashes
}

// locate finds the directory that a path belongs to, and checks the text of the path.
func (r *Root) locate(given string) (target, error) {
	clean, absolute, err := cleanPath(given)
	if err != nil {
		return target{}, err
	}
	t := target{given: given, tree: r.trees[0], rel: clean}
	if absolute {
		if t, err = r.locateAbsolute(given, clean); err != nil {
			return target{}, err
		}
	}
	return t, r.admit(t, t.rel)
}

// locateAbsolute finds the innermost directory that contains the path.
func (r *Root) locateAbsolute(given, clean string) (target, error) {
	best := target{given: given}
	for _, tree := range r.trees {
		rel, ok := tree.Rel(filepath.FromSlash(clean))
		if ok && (best.tree == nil || len(rel) < len(best.rel)) {
			best.tree, best.rel = tree, rel
		}
	}
	if best.tree != nil {
		return best, nil
	}
	const next = "Use a path relative to the project root, such as src/main.go."
	if hasParentName(given) {
		return best, refuse(PermissionDenied, PathTraversal, given, quote(given)+` climbs out of the project with "..".`, next)
	}
	return best, refuse(PermissionDenied, OutsideProjectRoot, given, quote(given)+" lies outside of the project.", next)
}

// hasParentName reports whether a path contains "..".
func hasParentName(given string) bool {
	for name := range strings.FieldsFuncSeq(given, isSeparator) {
		if name == ".." {
			return true
		}
	}
	return false
}

func slashed(name string) string { return filepath.ToSlash(name) }
