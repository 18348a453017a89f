package unity

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

const (
	locatePatience = 3 * time.Second // for finding where tests are declared
	maxScript      = 1 << 20         // bytes of a script that is looked at
	maxWalk        = 100_000         // entries of a project that are looked at
)

var (
	inBrackets = regexp.MustCompile(`\([^()]*\)|<[^<>]*>`)
	identifier = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*$`)
)

// nameOf returns the class and the method of a full test name, for example "Game.Tests.Outer+Inner.Hits(3,\"a\")".
func nameOf(full string) (class, method string, ok bool) {
	for before := ""; before != full; {
		before, full = full, inBrackets.ReplaceAllString(full, "")
	}
	parts := strings.FieldsFunc(full, func(r rune) bool { return r == '.' || r == '+' })
	if len(parts) < 2 {
		return "", "", false
	}
	class, method = parts[len(parts)-2], parts[len(parts)-1]
	return class, method, identifier.MatchString(class) && identifier.MatchString(method)
}

// wanted is a test to be found.
type wanted struct {
	failure       *TestFailure
	class, method *regexp.Regexp
}

// locate finds the declarations of failed tests without a position. Unity reports no stack trace for most failed tests. The
// search has a time limit.
func (t *Tools) locate(ctx context.Context, e bridge.Editor, failures []TestFailure) {
	ctx, cancel := context.WithTimeout(ctx, locatePatience)
	defer cancel()
	var all []wanted
	for i := range failures {
		class, method, ok := nameOf(failures[i].Name)
		if failures[i].Path == "" && ok {
			all = append(all, wanted{&failures[i],
				regexp.MustCompile(`\bclass\s+` + class + `\b`), regexp.MustCompile(`\b(?:void|[A-Z]\w*(?:<[^>\n]*>)?)\s+` + method + `\s*(?:<[^>\n]*>)?\(`)})
		}
	}
	for _, top := range []string{"Assets", "Packages"} {
		if len(all) == 0 {
			return
		}
		start := filepath.Join(e.Project, top)
		_, err := t.root.Walk(ctx, start, security.WalkOptions{Ignored: true, MaxEntries: maxWalk}, func(entry *security.WalkEntry) error {
			if len(all) == 0 {
				return fs.SkipAll
			}
			if entry.Kind == security.RegularFile && isScript(entry.Name) {
				all = t.search(ctx, filepath.Join(start, filepath.FromSlash(entry.Rel())), all)
			}
			return nil
		})
		if err != nil {
			t.log.Debug("tests were not located", "directory", path.Join(e.Name, top), "error", err)
		}
	}
}

// search looks for tests in a script, and answers which are still to be found.
func (t *Tools) search(ctx context.Context, script string, all []wanted) []wanted {
	content, info, err := t.root.ReadFile(ctx, script, maxScript)
	if err != nil {
		return all
	}
	text := string(content)
	var left []wanted
	for _, w := range all {
		class := w.class.FindStringIndex(text)
		if class == nil {
			left = append(left, w)
			continue
		}
		method := w.method.FindStringIndex(text[class[1]:])
		if method == nil {
			left = append(left, w) // the class may be in several files
			continue
		}
		w.failure.Path = filepath.ToSlash(info.Path)
		w.failure.Line = 1 + strings.Count(text[:class[1]+method[0]], "\n")
	}
	return left
}
