package security

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

// target is a path from outside that passed every check that can be made without opening anything.
type target struct {
	given string
	tree  *tree
	rel   string // cleaned, relative to the tree, with slashes
}

// locate finds the directory that a path belongs to, and refuses the path if its text alone says that it must be.
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

// locateAbsolute takes the innermost directory that holds the path.
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
	if climbs(given) {
		return best, refuse(PermissionDenied, PathTraversal, given, quote(given)+` climbs out of the project with "..".`, next)
	}
	return best, refuse(PermissionDenied, OutsideProjectRoot, given, quote(given)+" lies outside of the project.", next)
}

func climbs(given string) bool {
	for name := range strings.FieldsFuncSeq(given, isSeparator) {
		if name == ".." {
			return true
		}
	}
	return false
}

// admit decides whether tools may see a path below the target's tree: first the one that was given, then the final one.
func (r *Root) admit(t target, final string) error {
	if final != t.rel {
		// A link can lead to names that nobody may type.
		if _, _, err := cleanPath(final); err != nil {
			return refuse(PermissionDenied, UnsafeName, t.given, quote(t.given)+" leads to a name that is not allowed.", "Use another file.")
		}
	}
	if rootfs.IsTemp(path.Base(final)) {
		return unsafeName(t.given, "is reserved for files that are being written")
	}
	if r.blocked.Match(final) {
		return blocked(t.given)
	}
	return nil
}

func blocked(given string) error {
	return refuse(PermissionDenied, BlockedPattern, given, quote(given)+" is hidden from tools, because files like it hold secrets.",
		"Do without its content. If an example or template of it exists, read that; otherwise ask the user for what you need to know.")
}

// admitChange decides whether tools may write to a path: admit, and more.
func (r *Root) admitChange(t target, final string) error {
	if err := r.admit(t, final); err != nil {
		return err
	}
	if r.protected.Match(final) {
		return protectedPath(t.given, final)
	}
	return nil
}

// protectedPath is the refusal of a path that a pattern protects.
func protectedPath(given, final string) error {
	for name := range strings.SplitSeq(final, "/") {
		switch pattern.Fold(name) {
		case pattern.Fold(TrashDir):
			return refuse(PermissionDenied, ProtectedFile, given, quote(given)+" is write-protected, because it belongs to the trash, which holds deleted files.",
				"Leave it as it is. A deleted file or directory can be moved out of the trash.")
		case pattern.Fold(BackupDir):
			return refuse(PermissionDenied, ProtectedFile, given, quote(given)+" is write-protected, because it belongs to the backups, which hold former versions of files.",
				"Leave it as it is. To bring a former version back, read it and write its content to the file.")
		}
	}
	return protectedFile(given)
}

func protectedFile(given string) error {
	return refuse(PermissionDenied, ProtectedFile, given, quote(given)+" is write-protected, because it makes other programs run code or holds their permissions.",
		"Show the change to the user and let them make it.")
}

func slashed(name string) string { return filepath.ToSlash(name) }
