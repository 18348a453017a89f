package api

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
)

// LastTag returns the tag of the last release of a module that is part of the history, and its version, for example "v1.2.3". Both are ""
// if there is none. Pre-releases do not count.
func LastTag(ctx context.Context, root, module string) (tag, version string, err error) {
	prefix := ""
	if module != "." {
		prefix = module + "/"
	}
	out, err := run(ctx, root, "git", "tag", "--merged", "HEAD", "--list", prefix+"v*")
	if err != nil {
		return "", "", err
	}
	for candidate := range strings.FieldsSeq(string(out)) {
		v := strings.TrimPrefix(candidate, prefix)
		if semver.IsValid(v) && semver.Prerelease(v) == "" && (version == "" || semver.Compare(v, version) > 0) {
			tag, version = candidate, v
		}
	}
	return tag, version, nil
}

// NextVersion returns the version of the first section of CHANGELOG.md, for example "v1.2.3".
func NextVersion(changelog []byte) (string, error) {
	found := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)\b`).FindSubmatch(changelog)
	if found == nil {
		return "", errors.New("find the next version: CHANGELOG.md has no heading like \"## 1.2.3, not released yet\"")
	}
	return "v" + string(found[1]), nil
}

// CheckTag compares the packages of a module with the version that has a tag. It returns an error if the next version is too low for
// the changes.
func CheckTag(ctx context.Context, root, module, tag, next string, now []*types.Package) error {
	dir, err := os.MkdirTemp("", "dougu-api-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	absolute, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if _, err := run(ctx, dir, "git", "clone", "--quiet", "--shared", "--branch", tag, absolute, "."); err != nil {
		return err
	}
	before, err := Load(ctx, dir, module)
	if err != nil {
		return fmt.Errorf("load version %s: %w", tag, err)
	}
	report := apidiff.ModuleChanges(
		&apidiff.Module{Path: ModulePath(module), Packages: before[module]},
		&apidiff.Module{Path: ModulePath(module), Packages: now})
	if err := CheckVersion(path.Base(tag), next, report); err != nil {
		return fmt.Errorf("module %s: %w", ModulePath(module), err)
	}
	return nil
}

// CheckVersion returns an error if a version is too low for the changes since the last release. An incompatible change needs a new major
// version, or before v1 a new minor version; a compatible one needs a new minor version, or before v1 a new patch version.
func CheckVersion(last, next string, report apidiff.Report) error {
	incompatible := false
	for _, change := range report.Changes {
		incompatible = incompatible || !change.Compatible
	}
	var major, minor, patch int
	if _, err := fmt.Sscanf(semver.Canonical(last), "v%d.%d.%d", &major, &minor, &patch); err != nil {
		return fmt.Errorf("version %q: %w", last, err)
	}
	level := 2 // of the number that must rise: major, minor, patch
	switch {
	case len(report.Changes) == 0:
		return nil
	case incompatible && major > 0:
		level = 0
	case incompatible || major > 0:
		level = 1
	}
	least := []string{
		fmt.Sprintf("v%d.0.0", major+1), fmt.Sprintf("v%d.%d.0", major, minor+1), fmt.Sprintf("v%d.%d.%d", major, minor, patch+1),
	}[level]
	if semver.Compare(next, least) >= 0 {
		return nil
	}
	return fmt.Errorf("the changes since %s need version %s or later, and CHANGELOG.md has %s:\n%s", last, least, next, report)
}
