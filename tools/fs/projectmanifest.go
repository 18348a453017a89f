package fs

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

const (
	maxManifestDepth = 4
	maxManifests     = 24 // that are read, those nearest to the top
	maxManifestSize  = 512 << 10
)

// manifest is a file that says what a project needs.
type manifest struct {
	path  string
	depth int
	kind  *manifestKind
}

// manifestKind is what is known about the manifests of one name.
type manifestKind struct {
	languages    []string // that it may speak for
	dependencies func(content string) iter.Seq[string]
	frameworks   []framework // the first one that is needed counts
}

// framework is known by something that those need who use it.
type framework struct{ needs, name string }

// first are the manifests that are read, those nearest to the top first.
func (s *survey) first() []manifest {
	slices.SortFunc(s.manifests, func(a, b manifest) int {
		return cmp.Or(a.depth-b.depth, strings.Compare(a.path, b.path))
	})
	s.manifests = s.manifests[:min(len(s.manifests), maxManifests)]
	return s.manifests
}

// framework reads the manifests until one names a framework, beginning with those of the dominant language.
func (f *Files) framework(ctx context.Context, manifests []manifest, language string) string {
	for _, dominant := range []bool{true, false} {
		for _, m := range manifests {
			if slices.Contains(m.kind.languages, language) != dominant || len(m.kind.frameworks) == 0 {
				continue
			}
			// What cannot be read, or is too large, says nothing.
			content, _, err := f.root.ReadFile(ctx, m.path, maxManifestSize)
			if err != nil {
				continue
			}
			if name := m.kind.framework(string(content)); name != "" {
				return name
			}
		}
	}
	return ""
}

// framework is the one that a manifest names.
func (k *manifestKind) framework(content string) string {
	best := len(k.frameworks)
	for need := range k.dependencies(content) {
		for i, f := range k.frameworks[:best] {
			if rest, ok := strings.CutPrefix(need, f.needs); ok && (rest == "" || rest[0] == '/') {
				best = i
				break
			}
		}
	}
	if best == len(k.frameworks) {
		return ""
	}
	return k.frameworks[best].name
}

// words are the names in a text, in lower case: whatever letters, digits and the signs within names make. What follows a comment sign
// in a line is left out, and so are lines about what is needed only by others. It is lenient: the syntax is not looked at.
func words(comment string) func(content string) iter.Seq[string] {
	return func(content string) iter.Seq[string] {
		return func(yield func(string) bool) {
			for line := range strings.Lines(content) {
				if strings.Contains(line, "// indirect") {
					continue
				}
				if comment != "" {
					line, _, _ = strings.Cut(line, comment)
				}
				for word := range strings.FieldsFuncSeq(line, betweenWords) {
					if !yield(strings.TrimPrefix(strings.ToLower(word), "dependencies.")) {
						return
					}
				}
			}
		}
	}
}

func betweenWords(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._-/@", r):
		return false
	}
	return true
}

// packages are what a package.json or composer.json needs.
func packages(content string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var sections map[string]json.RawMessage
		if json.Unmarshal([]byte(content), &sections) != nil {
			return
		}
		for _, section := range []string{"dependencies", "devDependencies", "peerDependencies", "require", "require-dev"} {
			var needs map[string]json.RawMessage
			if json.Unmarshal(sections[section], &needs) != nil {
				continue
			}
			for need := range needs {
				if !yield(need) {
					return
				}
			}
		}
	}
}

// always says that a manifest is there, which is enough.
func always(string) iter.Seq[string] {
	return func(yield func(string) bool) { yield("") }
}
