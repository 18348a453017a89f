package search

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// Project is the name, description and version of a project.
type Project struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
}

const (
	maxManifest    = 512 << 10 // bytes read of a manifest
	maxDescription = 500       // bytes returned
)

// manifest is a file that describes a project, for example package.json.
type manifest struct {
	name string
	read func(content []byte) Project
}

// manifests are the supported files in the project directory. Earlier ones take precedence.
var manifests = []manifest{
	{"package.json", readJSONManifest},
	{"Cargo.toml", func(content []byte) Project { return readTOML(content, "package", "workspace.package") }},
	{"pyproject.toml", func(content []byte) Project { return readTOML(content, "project", "tool.poetry") }},
	{"composer.json", readJSONManifest},
	{"pom.xml", readPOM},
	{"go.mod", readGoMod},
	{"README.md", readReadme},
	{"README.rst", readReadme},
	{"README.txt", readReadme},
	{"README", readReadme},
}

// project returns the description from Options.Project. Empty fields are filled from the manifests, in order; the name defaults
// to that of the directory.
func (s *Search) project(ctx context.Context) Project {
	p := s.options.Project
	for _, m := range manifests {
		if p.Name != "" && p.Description != "" && p.Version != "" {
			break
		}
		content, _, err := s.root.ReadFile(ctx, m.name, maxManifest)
		if err != nil {
			continue // missing or unreadable
		}
		found := m.read(content)
		found.Description = truncate.Line(found.Description, maxDescription)
		for _, field := range []struct {
			to   *string
			from string
		}{{&p.Name, found.Name}, {&p.Description, found.Description}, {&p.Version, found.Version}} {
			if *field.to == "" {
				*field.to = truncate.Line(strings.TrimSpace(field.from), maxDescription)
			}
		}
	}
	if p.Name == "" {
		p.Name = filepath.Base(s.root.Dirs()[0])
	}
	return p
}

func readJSONManifest(content []byte) (p Project) {
	var fields struct{ Name, Description, Version json.RawMessage }
	if json.Unmarshal(content, &fields) != nil {
		return Project{}
	}
	for to, from := range map[*string]json.RawMessage{&p.Name: fields.Name, &p.Description: fields.Description, &p.Version: fields.Version} {
		_ = json.Unmarshal(from, to) // fields of other types are ignored
	}
	return p
}

// readTOML reads the keys name, description and version of the given tables. It supports single-line assignments with quoted
// strings only; earlier tables take precedence.
func readTOML(content []byte, tables ...string) (p Project) {
	for _, wanted := range tables {
		table := ""
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				table = strings.TrimSpace(strings.Trim(line, "[]"))
				continue
			}
			key, value, ok := strings.Cut(line, "=")
			if !ok || table != wanted {
				continue
			}
			field := map[string]*string{"name": &p.Name, "description": &p.Description, "version": &p.Version}[strings.Trim(strings.TrimSpace(key), `"'`)]
			if field != nil && *field == "" {
				*field = tomlText(strings.TrimSpace(value))
			}
		}
	}
	return p
}

// tomlText returns the value of a quoted string; empty for any other value.
func tomlText(value string) string {
	switch {
	case strings.HasPrefix(value, `"""`):
		return strings.TrimSpace(strings.Trim(value, `"`))
	case strings.HasPrefix(value, `"`):
		if quoted, err := strconv.QuotedPrefix(value); err == nil {
			text, _ := strconv.Unquote(quoted)
			return text
		}
	case strings.HasPrefix(value, "'"):
		text, _, _ := strings.Cut(value[1:], "'")
		return text
	}
	return ""
}

// readPOM reads a Maven POM. The name is the artifact ID.
func readPOM(content []byte) Project {
	var pom struct {
		Name        string `xml:"name"`
		Artifact    string `xml:"artifactId"`
		Description string `xml:"description"`
		Version     string `xml:"version"`
		Parent      struct {
			Version string `xml:"version"`
		} `xml:"parent"`
	}
	if xml.Unmarshal(content, &pom) != nil {
		return Project{}
	}
	p := Project{Name: pom.Artifact, Description: pom.Description, Version: pom.Version}
	if p.Name == "" {
		p.Name = pom.Name
	}
	if p.Version == "" {
		p.Version = pom.Parent.Version
	}
	return p
}

// readGoMod returns the last element of the module path, without a version suffix such as v2.
func readGoMod(content []byte) Project {
	for line := range strings.Lines(string(content)) {
		module, ok := strings.CutPrefix(strings.TrimSpace(line), "module ")
		if !ok {
			continue
		}
		module, _, _ = strings.Cut(module, "//")
		module = strings.Trim(strings.TrimSpace(module), `"`)
		name := path.Base(module)
		if rest, ok := strings.CutPrefix(name, "v"); ok && strings.Trim(rest, "0123456789") == "" {
			name = path.Base(path.Dir(module))
		}
		return Project{Name: name}
	}
	return Project{}
}

// readReadme returns the first paragraph of plain text as the description.
func readReadme(content []byte) Project {
	var paragraph []string
	fenced := false
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		running := !fenced && line != "" && !strings.ContainsAny(line[:1], "#<![|=-_*>.:~")
		switch {
		case running:
			paragraph = append(paragraph, line)
		case line != "" && strings.Trim(line, "=-~^*") == "":
			paragraph = nil // it was a heading
		case len(paragraph) > 0:
			return Project{Description: strings.Join(paragraph, " ")}
		}
	}
	return Project{Description: strings.Join(paragraph, " ")}
}
