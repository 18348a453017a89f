package chunking

import (
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// A short ID names a chunk like an ID and is shorter: the end of its qualified name if only this chunk of the index has it
// (push, Stack.push), else the end of a path, "#" and such a name (Stack.swift#push). It has no state: another declaration of the
// same name makes it ambiguous, and a change by it is then refused.

// shortHits returns the indexed chunks that a name without a path can mean: those with this qualified name, else those with this
// name without labels, else those whose qualified name ends with it.
func shortHits(s *index.Snapshot, named string) []index.Hit {
	hits := s.WithName(lastName(named))
	for _, fits := range []func(c *source.Chunk) bool{
		func(c *source.Chunk) bool { return c.Path() == named },
		func(c *source.Chunk) bool { return pathOf(c) == named },
		func(c *source.Chunk) bool { return endsWithName(c, named) },
	} {
		var found []index.Hit
		for _, hit := range hits {
			if c := hit.File.Symbol(hit.Chunk); fits(&c) {
				found = append(found, hit)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// lastName returns the name at the end of a qualified name, without labels.
func lastName(named string) string {
	if at := strings.IndexByte(named, '('); at > 0 {
		named = named[:at]
	}
	return named[strings.LastIndexByte(named, '.')+1:]
}

// endsWithName reports whether a qualified name, with or without labels, is named or ends with it.
func endsWithName(c *source.Chunk, named string) bool {
	for _, whole := range []string{c.Path(), pathOf(c)} {
		if before, ok := strings.CutSuffix(whole, named); ok && (before == "" || strings.HasSuffix(before, ".")) {
			return true
		}
	}
	return false
}

// nameEnds returns the ends of a qualified name, the shortest first, and then those with labels.
func nameEnds(c *source.Chunk) []string {
	ends := []string{c.Name}
	for container := c.Container; container != ""; {
		at := strings.LastIndexByte(container, '.')
		ends = append(ends, container[at+1:]+"."+ends[len(ends)-1])
		container = container[:max(at, 0)]
	}
	if c.Labels != "" {
		for _, end := range slices.Clone(ends) {
			ends = append(ends, end+c.Labels)
		}
	}
	return ends
}

// shortIDs finds short IDs in one state of the index.
type shortIDs struct {
	index *index.Snapshot
	named map[string][]index.Hit // by name without container and labels
}

// shortener returns the short IDs of the present index, and of no index while nothing was analyzed.
func (c *Chunks) shortener() *shortIDs {
	return &shortIDs{index: c.index.Snapshot(), named: make(map[string][]index.Hit)}
}

// of returns the shortest form of an ID, which is the ID itself for a chunk that is not in the index.
func (s *shortIDs) of(id string) string {
	f, chunk, ok := s.index.Find(id)
	if !ok || f.ID(chunk) != id {
		return id
	}
	c := f.Symbol(chunk)
	hits, ok := s.named[c.Name]
	if !ok {
		hits = s.index.WithName(c.Name)
		s.named[c.Name] = hits
	}
	if lastName(c.Name) != c.Name || strings.ContainsAny(id[len(f.Path)+1:], "# \t\n") || strings.Contains(f.Path, "#") {
		return id
	}
	within := ""
	for _, end := range nameEnds(&c) {
		all, inFile := 0, 0
		for _, hit := range hits {
			if other := hit.File.Symbol(hit.Chunk); endsWithName(&other, end) {
				if all++; hit.File == f {
					inFile++
				}
			}
		}
		if all == 1 {
			return end
		}
		if inFile == 1 && within == "" {
			within = end
		}
	}
	if within == "" {
		within = id[len(f.Path)+1:]
	}
	return s.file(f.Path) + "#" + within
}

// file returns the shortest end of the path of an indexed file that no other indexed file has.
func (s *shortIDs) file(of string) string {
	same := s.index.Files()
	for at := strings.LastIndexByte(of, '/'); at > 0; at = strings.LastIndexByte(of[:at], '/') {
		if same = filesEndingWith(same, of[at+1:], sameCase); len(same) == 1 {
			return of[at+1:]
		}
	}
	return of
}

// filesEndingWith returns those files whose paths are an end of a path or end with it. equal compares ends of one length:
// sameCase, or strings.EqualFold for any letter case.
func filesEndingWith(files []*index.File, end string, equal func(a, b string) bool) []*index.File {
	var found []*index.File
	for _, f := range files {
		at := len(f.Path) - len(end)
		if at >= 0 && (at == 0 || f.Path[at-1] == '/') && equal(f.Path[at:], end) {
			found = append(found, f)
		}
	}
	return found
}

func sameCase(a, b string) bool { return a == b }

// shorten sets the short IDs of entries, and records their meaning for the caller.
func (c *Chunks) shorten(ctx context.Context, entries []Entry) {
	s := c.shortener()
	names := make([]string, 0, len(entries))
	for i := range entries {
		if f, chunk, ok := s.index.Find(entries[i].ID); ok {
			names = append(names, f.Symbol(chunk).Name)
		}
	}
	s.named = s.index.WithNames(names)
	for i := range entries {
		entries[i].short = s.of(entries[i].ID)
		c.recordShort(ctx, entries[i].short, entries[i].ID)
	}
}

// shortRecord is the prefix of the names of short IDs in the ledger.
const shortRecord = "short id "

// recordShort records the chunk that a short ID means for the caller.
func (c *Chunks) recordShort(ctx context.Context, short, id string) {
	if short != id {
		c.ledger.Record(ctx, shortRecord+short, id)
	}
}

// checkShort refuses a change by a name that meant another chunk in an earlier answer to the caller.
func (c *Chunks) checkShort(ctx context.Context, named, id string) error {
	was, _ := c.ledger.Seen(ctx, shortRecord+named)
	if was == "" || was == id {
		return nil
	}
	return problem(codeStaleChunk, "Read it again with get_chunk, or give the id. Nothing was changed.", "%s was %s when you read it, and is %s now", quote(named), quote(was), quote(id))
}

// handle returns the short ID of an entry, or its ID without one.
func (e *Entry) handle() string {
	if e.short != "" {
		return e.short
	}
	return e.ID
}
