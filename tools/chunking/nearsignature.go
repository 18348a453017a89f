package chunking

import (
	"cmp"
	"slices"
	"strings"
)

// maxNear is the number of functions that an error for a nearly right signature names.
const maxNear = 3

// nearSignature finds the function for a signature with other modifiers, types or
// parameters: the only one of its name and container, or the one that shares most words
// with the signature. near is true for such a function. Several equally good functions
// are an error that names the nearest. Without any the error is notFound.
func (s *parsedFile) nearSignature(signature string, notFound error) (found chunk, near bool, err error) {
	head, _, isSignature := strings.Cut(signature, "(")
	words := wordsOf(signature)
	names := wordsOf(head)
	if strings.HasPrefix(strings.TrimSpace(signature), "func (") || !isSignature {
		names = words // the receiver of a method of Go precedes its name
	}
	type candidate struct{ chunk, shared int }
	var candidates []candidate
	for i := range s.chunks {
		c := &s.chunks[i]
		if !c.Kind.IsCallable() || !slices.Contains(names, c.Name) {
			continue
		}
		if container, ok := containerOf(head, c.Name); ok && c.Container != container && !strings.HasSuffix(c.Container, "."+container) {
			continue
		}
		theirs, shared := wordsOf(c.Signature), 0
		for _, word := range words {
			if at := slices.Index(theirs, word); at >= 0 {
				theirs = slices.Delete(theirs, at, at+1)
				shared++
			}
		}
		candidates = append(candidates, candidate{i, 2*shared - len(theirs)})
	}
	if len(candidates) == 0 {
		return chunk{}, false, notFound
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.shared, a.shared) })
	if len(candidates) == 1 || candidates[0].shared > candidates[1].shared {
		return chunk{s, candidates[0].chunk}, true, nil
	}
	var ids []string
	for _, c := range candidates[:min(len(candidates), maxNear)] {
		ids = append(ids, s.ID(c.chunk)+" (line "+number(s.chunks[c.chunk].Line)+")")
	}
	return chunk{}, false, problem(codeAmbiguousChunk, "Give one of these ids: "+strings.Join(ids, ", ")+".", "%s in %s fits %s functions equally well",
		quote(signature), quote(s.Path), number(len(candidates)))
}

// wordsOf returns the names and keywords of a signature.
func wordsOf(signature string) []string {
	return strings.FieldsFunc(signature, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) })
}

// containerOf returns the container that precedes a name and a dot: Stack in "func Stack.push".
func containerOf(head, name string) (string, bool) {
	before, ok := strings.CutSuffix(strings.TrimSpace(head), "."+name)
	if !ok {
		return "", false
	}
	return before[strings.LastIndexAny(before, " \t\n")+1:], true
}
