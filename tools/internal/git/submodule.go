package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ignoreSubmodules returns arguments that disable submodules, whatever .gitmodules says. Without this file git reads the one in
// the index.
func (r *Repository) ignoreSubmodules(ctx context.Context) ([]string, error) {
	file := filepath.Join(r.top, ".gitmodules")
	from := []string{"--file", file}
	if _, err := os.Lstat(file); err != nil {
		from = []string{"--blob", ":.gitmodules"}
	}
	out, err := r.execute(ctx, Call{Args: append(append([]string{"config"}, from...), "--list", "--name-only", "-z")}, nil)
	if _, failed := errors.AsType[*Failure](err); failed && from[0] == "--blob" {
		return nil, nil // there is none
	}
	if err != nil {
		return nil, fmt.Errorf("read .gitmodules: %w", err)
	}
	var ignored []string
	seen := make(map[string]bool)
	for key := range strings.SplitSeq(string(out), "\x00") {
		section, name, _ := setting{key: key}.parts()
		if section != "submodule" || name == "" || seen[name] {
			continue
		}
		seen[name] = true
		if strings.ContainsAny(name, "=\n") || len(seen) > maxOverrides {
			return nil, &Unsafe{fmt.Sprintf("the file .gitmodules has a submodule %.100q that cannot be left alone because of its name, or too many", name), "Ask the user to rename it, or to merge in a terminal."}
		}
		ignored = append(ignored, "-c", "submodule."+name+".ignore=all")
	}
	return ignored, nil
}
