package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Diff returns the lines that differ between two descriptions, each with its package: "- mcp: func Removed()". It returns "" if none do.
func Diff(before, after string) string {
	old, now := sections(before), sections(after)
	packages := maps.Clone(old)
	maps.Copy(packages, now)
	var b strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		name := strings.TrimPrefix(pkg, Prefix+"/")
		for _, line := range old[pkg] {
			if !slices.Contains(now[pkg], line) {
				fmt.Fprintf(&b, "- %s: %s\n", name, line)
			}
		}
		for _, line := range now[pkg] {
			if !slices.Contains(old[pkg], line) {
				fmt.Fprintf(&b, "+ %s: %s\n", name, line)
			}
		}
	}
	if b.Len() == 0 && before != after {
		return "only the order of lines differs\n"
	}
	return b.String()
}

// sections returns the lines of a description by the paths of packages. The line of the package itself counts, for packages without
// exported names.
func sections(description string) map[string][]string {
	all := make(map[string][]string)
	pkg := ""
	for line := range strings.Lines(description) {
		line = strings.TrimSuffix(line, "\n")
		if path, ok := strings.CutPrefix(line, "package "); ok {
			pkg = path
		}
		if line != "" {
			all[pkg] = append(all[pkg], line)
		}
	}
	return all
}
