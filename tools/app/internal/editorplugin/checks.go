package editorplugin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/tools/app"
)

// Checks returns one check for each editor that was found: whether it has the extension in the version of the program.
func Checks(ctx context.Context, a *app.App, version string) []app.Check {
	found, skipped := Machine{Environment: a.Machine(), Project: a.ProjectDirs()}.Find()
	all := make([]app.Check, len(found))
	var group sync.WaitGroup
	for i, e := range found {
		group.Go(func() { all[i] = check(ctx, a.Name, e, version) })
	}
	group.Wait()
	for _, s := range skipped {
		all = append(all, app.Check{Name: s.Name + " extension", Status: app.Unused, Detail: fmt.Sprintf("%s is not used: %s", s.Program, s.Reason), Next: s.Next})
	}
	return all
}

// check compares the version in one editor with the version of the program.
func check(ctx context.Context, program string, e Editor, version string) app.Check {
	c := app.Check{Name: e.Name() + " extension", Status: app.Warning, Next: fmt.Sprintf("\"%s install-extension %s\" installs it.", program, e.Name())}
	installed, err := e.Version(ctx)
	switch order := compareVersions(installed, version); {
	case err != nil:
		c.Detail, c.Next = "the installed version is unknown: "+err.Error(), fmt.Sprintf("Correct what the message names, or install the extension again: \"%s install-extension %s\".", program, e.Name())
	case installed == "" && e.Name() == neovimName:
		c.Status, c.Detail = app.Unused, "not installed; it is needed only for Neovim with --listen, with another TMPDIR, and on Windows"
	case installed == "":
		c.Status, c.Detail = app.Unused, "not installed"
	case order < 0:
		c.Detail, c.Next = fmt.Sprintf("version %s is older than this program, %s", installed, version), fmt.Sprintf("\"%s install-extension %s\" updates it.", program, e.Name())
	case order > 0:
		c.Detail, c.Next = fmt.Sprintf("version %s is newer than this program, %s", installed, version), fmt.Sprintf("Update %s, or install the extension of this version: \"%s install-extension %s\".", program, program, e.Name())
	default:
		c.Status, c.Detail, c.Next = app.OK, "version "+installed+", by "+e.Where(), ""
	}
	return c
}

// compareVersions compares two semantic versions without build metadata.
func compareVersions(a, b string) int {
	coreA, preA, isPreA := strings.Cut(a, "-")
	coreB, preB, isPreB := strings.Cut(b, "-")
	if order := slices.CompareFunc(strings.Split(coreA, "."), strings.Split(coreB, "."), compareIdentifiers); order != 0 {
		return order
	}
	switch {
	case isPreA && isPreB:
		return slices.CompareFunc(strings.Split(preA, "."), strings.Split(preB, "."), compareIdentifiers)
	case isPreA:
		return -1
	case isPreB:
		return 1
	}
	return 0
}

// compareIdentifiers compares two parts of a version: by their numbers, or else as texts. A number is less than a text.
func compareIdentifiers(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}
