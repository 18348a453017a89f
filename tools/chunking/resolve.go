package chunking

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/tools/source"
)

// maxCandidates is the maximum number of suggestions in an error.
const maxCandidates = 10

// find finds a chunk of the file by ID, signature, or a sufficient part of its
// qualified name.
func (s *parsedFile) find(named string) (chunk, error) {
	named = strings.TrimSpace(named)
	if named == "" {
		return chunk{}, invalid("Give the signature or the id that list_functions_in_file or find_function shows.", "no function is named")
	}
	if rest, ok := strings.CutPrefix(named, s.Path+"#"); ok {
		named = rest
	}
	found := s.named(named)
	switch len(found) {
	case 1:
		return chunk{s, found[0]}, nil
	case 0:
		return chunk{}, s.notFound(named)
	}
	return chunk{}, s.ambiguous(named, found)
}

// named returns the chunks with a name. The first of these interpretations that matches
// counts: path, signature, path without labels, end of a path, name.
func (s *parsedFile) named(named string) []int {
	if i, ok := s.Named(named); ok && s.chunks[i].Path() != named {
		return []int{i} // an ID with the number of one of several equal paths
	}
	signature := normal(named)
	for _, fits := range []func(c *source.Chunk) bool{
		func(c *source.Chunk) bool { return c.Path() == named },
		func(c *source.Chunk) bool { return normal(c.Signature) == signature },
		func(c *source.Chunk) bool { return pathOf(c) == named || strings.HasSuffix(c.Path(), "."+named) },
		func(c *source.Chunk) bool { return c.Name == named || strings.HasSuffix(pathOf(c), "."+named) },
	} {
		var found []int
		for i := range s.chunks {
			if fits(&s.chunks[i]) {
				found = append(found, i)
			}
		}
		if found = s.preferred(found, named); len(found) > 0 {
			return found
		}
	}
	return nil
}

// preferred reduces several chunks to callable ones and, for equal names, to the first,
// whose ID is the name.
func (s *parsedFile) preferred(found []int, named string) []int {
	if callable := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !s.chunks[i].Kind.IsCallable() }); len(callable) > 0 {
		found = callable
	}
	if len(found) > 1 && !slices.ContainsFunc(found, func(i int) bool { return s.chunks[i].Path() != named }) {
		return found[:1]
	}
	return found
}

// pathOf returns the path of a chunk without labels.
func pathOf(c *source.Chunk) string { return strings.TrimSuffix(c.Path(), c.Labels) }

// normal returns a signature without insignificant white space and without the opening
// bracket of a body.
func normal(signature string) string {
	signature = strings.TrimRight(signature, " \t\r\n{;")
	var b strings.Builder
	b.Grow(len(signature))
	pending := false
	last := byte(0)
	for i := range len(signature) {
		switch c := signature[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			pending = true
		default:
			if pending && isWord(last) && isWord(c) {
				b.WriteByte(' ')
			}
			pending, last = false, c
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (s *parsedFile) notFound(named string) error {
	names := make(map[string]string)
	var known []string
	for i := range s.chunks {
		for _, name := range []string{s.chunks[i].Path(), pathOf(&s.chunks[i]), s.chunks[i].Name, s.chunks[i].Signature} {
			names[name] = s.ID(i)
			known = append(known, name)
		}
	}
	next := "list_functions_in_file shows its functions."
	if near := nearest.Name(named, known); near != "" {
		next = "Did you mean " + quote(names[near]) + "? " + next
	}
	return problem(codeChunkNotFound, next, "%s has no function %s", quote(s.Path), quote(named))
}

func (s *parsedFile) ambiguous(named string, found []int) error {
	var ids []string
	for _, i := range found[:min(len(found), maxCandidates)] {
		ids = append(ids, s.ID(i)+" (line "+number(s.chunks[i].Line)+")")
	}
	more := ""
	if len(found) > maxCandidates {
		more = " and others"
	}
	return problem(codeAmbiguousChunk, "Give one of these ids: "+strings.Join(ids, ", ")+more+".", "%s in %s can be %s functions", quote(named), quote(s.Path), number(len(found)))
}
