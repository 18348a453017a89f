package chunking

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// Limits of findImpact.
const (
	maxImpact     = 300 // chunks whose callers are found
	impactTimeout = 20 * time.Second
)

// Ranks of affected chunks: tests come before other chunks, and near chunks before far ones.
const (
	rankTest = 10_000
	rankNear = 5_000
)

// findImpact finds the callers of a chunk, their callers, and so on.
func (c *Chunks) findImpact(ctx context.Context, args CallersArgs) (CallersResult, error) {
	limit, err := results(args.MaxResults)
	if err != nil {
		return CallersResult{}, err
	}
	snapshot, err := c.indexed(ctx)
	if err != nil {
		return CallersResult{}, err
	}
	if snapshot.Len() == 0 {
		return CallersResult{}, problem(codeNotAnalyzed, "Call analyze_project first.", "no project has been analysed")
	}
	of, err := c.byID(ctx, args.ChunkID)
	if err != nil {
		return CallersResult{}, err
	}
	if !uses.Supports(of.Language) {
		return CallersResult{}, invalid("Leave impact out.", "the callers of %s are not resolved, so their callers are unknown", of.Language)
	}
	searching, cancel := context.WithTimeout(ctx, impactTimeout)
	defer cancel()
	r, err := c.impactOf(searching, of)
	if ctx.Err() != nil {
		return CallersResult{}, context.Cause(ctx)
	}
	if err != nil && searching.Err() == nil {
		return CallersResult{}, err
	}
	if err != nil {
		r.Notes = append(r.Notes, "incomplete: the search ended after "+impactTimeout.String())
	}
	return r.page(args, limit, c.limits.Answer)
}

// impactOf searches in the order of the distance. With an error, the result has the chunks
// that were found before.
func (c *Chunks) impactOf(ctx context.Context, of chunk) (CallersResult, error) {
	type step struct {
		chunk
		distance int
	}
	r := CallersResult{Callers: []Caller{}, resolved: true, impact: true}
	if missing := c.missing(); missing != "" {
		r.Notes = append(r.Notes, missing)
	}
	finder := c.finder()
	queue, seen := []step{{of, 0}}, map[string]bool{of.id(): true}
	unknown := 0
	var failed error
	for n := 0; n < len(queue) && n < maxImpact && failed == nil; n++ {
		var direct CallersResult
		if direct, failed = c.resolvedCallers(ctx, finder, queue[n].chunk); failed != nil {
			break
		}
		r.gaps.add(direct.gaps)
		for _, caller := range direct.Callers {
			if caller.Source == sourceName {
				unknown += len(caller.Lines)
				continue
			}
			key := caller.ID
			if key == "" {
				key = caller.FilePath
			}
			if seen[key] {
				continue
			}
			seen[key] = true
			caller.Steps = queue[n].distance + 1
			caller.rank = rankNear - float64(caller.Steps)
			if isTest(caller.FilePath) {
				caller.rank += rankTest
				r.tests++
			}
			r.Callers = append(r.Callers, caller)
			if caller.ID == "" {
				continue
			}
			if next, err := c.byID(ctx, caller.ID); err == nil {
				queue = append(queue, step{next, caller.Steps})
			}
		}
	}
	if len(queue) > maxImpact {
		r.Notes = append(r.Notes, "incomplete: the callers of "+number(len(queue)-maxImpact)+" chunks were not searched")
	}
	r.Notes = append(r.Notes, r.gaps.notes()...)
	if unknown > 0 {
		r.Notes = append(r.Notes, plural.Count(unknown, "call")+" of the same names with an unknown target are left out; find_callers without impact lists those of one function")
	}
	return r, failed
}

// isTest reports whether a file has the name of a test, or is in a directory of tests.
func isTest(file string) bool {
	dir, base := path.Split(strings.ToLower(file))
	base = strings.TrimSuffix(base, path.Ext(base))
	for _, part := range strings.Split(dir, "/") {
		switch part {
		case "test", "tests", "__tests__", "testing", "spec":
			return true
		}
	}
	for _, ending := range []string{"_test", ".test", ".spec", "_spec", "tests"} {
		if strings.HasSuffix(base, ending) {
			return true
		}
	}
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(file, "Test.java") || strings.HasSuffix(file, "IT.java")
}
