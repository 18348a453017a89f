package notices

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Embedded returns the licenses of embedded non-Go content of a program: files in directories LICENSES, and files licenses.md.
func (s *Source) Embedded(ctx context.Context, program string) ([]Text, error) {
	out, err := run(ctx, s.root, "go", "list", "-mod=readonly", "-deps", "-json=Dir,EmbedFiles,Module", "./examples/"+program)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Text)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir        string
			EmbedFiles []string
			Module     *struct{ Main bool }
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading what go list says: %w", err)
		}
		if p.Module == nil || !p.Module.Main || len(p.EmbedFiles) == 0 {
			continue
		}
		if err := s.walk(p.Dir, found); err != nil {
			return nil, err
		}
	}
	all := make([]Text, 0, len(found))
	for _, t := range found {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Text) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// walk finds the licenses below a directory.
func (s *Source) walk(dir string, found map[string]Text) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "node_modules":
			return filepath.SkipDir
		case e.IsDir() || e.Name() != "licenses.md" && filepath.Base(filepath.Dir(path)) != "LICENSES":
			return nil
		}
		name, err := filepath.Rel(s.root, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		found[name] = Text{filepath.ToSlash(name), content}
		return err
	})
}

// Document returns the text with the authors and licenses of a program's components.
func Document(program string, modules []Module, embedded []Text) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s contains the following, each with its own licence.\n\n", program)
	for _, m := range modules {
		fmt.Fprintf(&b, "  %s %s (%s)\n", m.Path, m.Version, m.ID)
	}
	for _, t := range embedded {
		fmt.Fprintf(&b, "  %s\n", t.Name)
	}
	write := func(title string, content []byte) {
		rule := strings.Repeat("=", 80)
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", rule, title, rule, bytes.TrimSpace(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))))
	}
	for _, m := range modules {
		for _, t := range m.Texts {
			write(m.Path+" "+m.Version+": "+t.Name, t.Content)
		}
	}
	for _, t := range embedded {
		write(t.Name, t.Content)
	}
	return b.Bytes()
}
