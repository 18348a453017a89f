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
	maxManifestDepth = 4         // depth of directories in which manifests are collected
	maxManifests     = 24        // most manifests that are read, nearest to the root first
	maxManifestSize  = 512 << 10 // largest manifest in bytes
)

// manifest is a file that lists the dependencies of a project.
type manifest struct {
	path  string
	depth int
	kind  *manifestKind
}

// manifestKind describes the manifests with one name.
type manifestKind struct {
	languages    []string                              // possible languages of the project
	dependencies func(content string) iter.Seq[string] // names of the dependencies in a manifest
	frameworks   []framework                           // in order of preference
}

// framework is recognised by the dependency that its users need.
type framework struct{ needs, name string }

// first returns the manifests to read, nearest to the root first.
func (s *projectScan) first() []manifest {
	slices.SortFunc(s.manifests, func(a, b manifest) int {
		return cmp.Or(a.depth-b.depth, strings.Compare(a.path, b.path))
	})
	s.manifests = s.manifests[:min(len(s.manifests), maxManifests)]
	return s.manifests
}

// framework reads the manifests until one names a framework. It begins with those of the dominant language.
func (f *Files) framework(ctx context.Context, manifests []manifest, language string) string {
	for _, dominant := range []bool{true, false} {
		for _, m := range manifests {
			if slices.Contains(m.kind.languages, language) != dominant || len(m.kind.frameworks) == 0 {
				continue
			}
			// A manifest that cannot be read or is too large is skipped.
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

// framework returns the preferred framework among the dependencies of a manifest, or "".
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

// wordsOf returns a function that yields the words of a text in lower case: sequences of letters, digits and the characters of
// names. It skips comments and lines with "// indirect". It does not parse the syntax.
func wordsOf(comment string) func(content string) iter.Seq[string] {
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

// betweenWords reports whether r separates words.
func betweenWords(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._-/@", r):
		return false
	}
	return true
}

// packages yields the dependencies in a package.json or composer.json.
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

// presence yields one empty dependency: the presence of the file is sufficient.
func presence(string) iter.Seq[string] {
	return func(yield func(string) bool) { yield("") }
}
