// Package registry writes server.json, the description of a program for the MCP registry, with the schema of 2025-12-11.
package registry

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/dougu-go/dougu/release/internal/catalog"
)

// Schema is the URL of the schema.
const Schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

//go:embed schema/server.schema.json
var schema string

type server struct {
	Schema      string     `json:"$schema"`
	Name        string     `json:"name"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Version     string     `json:"version"`
	Website     string     `json:"websiteUrl"`
	Repository  repository `json:"repository"`
	Packages    []packaged `json:"packages"`
}

type repository struct {
	URL       string `json:"url"`
	Source    string `json:"source"`
	Subfolder string `json:"subfolder"`
}

type packaged struct {
	Type       string     `json:"registryType"`
	Identifier string     `json:"identifier"`
	Version    string     `json:"version,omitempty"`
	SHA256     string     `json:"fileSha256,omitempty"`
	Hint       string     `json:"runtimeHint,omitempty"`
	Transport  transport  `json:"transport"`
	Runtime    []argument `json:"runtimeArguments,omitempty"`
}

type transport struct {
	Type string `json:"type"`
}

type argument struct {
	Type      string           `json:"type"`
	Name      string           `json:"name,omitempty"`
	Value     string           `json:"value,omitempty"`
	Required  bool             `json:"isRequired,omitempty"`
	Variables map[string]input `json:"variables,omitempty"`
}

type input struct {
	Description string `json:"description"`
	Format      string `json:"format"`
	Required    bool   `json:"isRequired"`
}

// Bundle is a bundle of a release.
type Bundle struct {
	File   string // file name
	SHA256 string
}

// File returns server.json of a program, with its bundles and its image, if it has one.
func File(p catalog.Program, version string, bundles []Bundle) ([]byte, error) {
	s := server{
		Schema: Schema, Name: p.Server(), Title: p.Title, Description: p.About, Version: version, Website: catalog.Repository,
		Repository: repository{catalog.Repository, "github", "examples/" + p.Name},
	}
	for _, b := range bundles {
		s.Packages = append(s.Packages, packaged{
			Type: "mcpb", Identifier: catalog.Repository + "/releases/download/v" + version + "/" + b.File, Version: version, SHA256: b.SHA256, Transport: transport{"stdio"},
		})
	}
	if p.Contained {
		s.Packages = append(s.Packages, container(p, version))
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), Validate(text)
}

// container describes the image of a program. The user's directory or file is mounted at the path that the program uses.
func container(p catalog.Program, version string) packaged {
	place := "/work"
	if p.Setting.Kind == "file" {
		place = "/work/mcp.json:ro"
	}
	return packaged{
		Type: "oci", Identifier: p.Image() + ":" + version, Hint: "docker", Transport: transport{"stdio"},
		Runtime: []argument{
			{Type: "named", Name: "-v", Value: "{" + p.Setting.Key + "}:" + place, Required: true,
				Variables: map[string]input{p.Setting.Key: {p.Setting.About, "filepath", true}}},
		},
	}
}

// Validate checks a server.json against the schema.
func Validate(text []byte) error {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource(Schema, bytes.NewReader([]byte(schema))); err != nil {
		return err
	}
	compiled, err := compiler.Compile(Schema)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return err
	}
	if err := compiled.Validate(v); err != nil {
		return fmt.Errorf("server.json is not as the registry takes it: %w", err)
	}
	return nil
}
