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

// Project is what a project says of itself.
type Project struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
}

const (
	maxManifest    = 512 << 10 // bytes that are read
	maxDescription = 500       // bytes that are told
)

// manifest is a file that says what a project is.
type manifest struct {
	name string
	read func(content []byte) Project
}

// manifests are the files that say what a project is, at its top, those that say most first.
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

// project is what the options say, or else the manifests, the first that does; the name of the directory if nothing else.
func (s *Search) project(ctx context.Context) Project {
	p := s.options.Project
	for _, m := range manifests {
		if p.Name != "" && p.Description != "" && p.Version != "" {
			break
		}
		content, _, err := s.root.ReadFile(ctx, m.name, maxManifest)
		if err != nil {
			continue // it is not there, or is nothing to be read
		}
		said := m.read(content)
		said.Description = truncate.Line(said.Description, maxDescription)
		for _, field := range []struct {
			to   *string
			from string
		}{{&p.Name, said.Name}, {&p.Description, said.Description}, {&p.Version, said.Version}} {
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
		_ = json.Unmarshal(from, to) // what is no text says nothing
	}
	return p
}

// readTOML reads keys of the tables that are named, as far as they are written in the usual way: a line, with quotes.
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

// tomlText is a string in quotes; empty for any other value.
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

// readGoMod takes the last part of the path of a module that is no version.
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

// readReadme takes the first paragraph of running text for a description.
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
