package editor

import (
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/typecheck"
)

// maxTypeConfig is the largest configuration of a type checker that is read, in bytes.
const maxTypeConfig = 1 << 20

// typeChecks returns the configurations that turn type checks off. The Project lasts for one request.
func (e *Editor) typeChecks(ctx context.Context) *typecheck.Project {
	read := func(path string) ([]byte, error) {
		data, _, err := e.root.ReadFile(ctx, path, maxTypeConfig)
		return data, err
	}
	top := func(path string) string {
		top := ""
		for _, dir := range e.real {
			if inDir(dir, path) && len(dir) > len(top) {
				top = dir
			}
		}
		return top
	}
	return typecheck.New(read, top)
}

// limitCheck returns the check of a file that an adapter has checked: Unchecked with a reason if the project turns the check of its types
// off, since an empty result then says nothing about errors.
func limitCheck(project *typecheck.Project, from string, p projectFile, text string, c adapter.FileCheck) adapter.FileCheck {
	if c.State != adapter.Checked || !concerns(typecheck.Concerns(p.abs), from, c.By) {
		return c
	}
	limit := project.Disabled(p.abs, text)
	if limit.Reason == "" {
		return c
	}
	c.State, c.Reason, c.Next = adapter.Unchecked, limit.Reason, limit.Next
	if limit.Silent {
		c.By = "" // the syntax checker can say more
	}
	return c
}

// concerns reports whether a check is by a type checker, or by an editor, which does not say which servers it runs.
func concerns(checker typecheck.Checker, from, by string) bool {
	switch {
	case checker == "":
		return false
	case by == from:
		return true
	case checker == typecheck.Pyright:
		return strings.HasSuffix(by, "pyright")
	}
	return slices.Contains([]string{"typescript-language-server", "tsc"}, by)
}
