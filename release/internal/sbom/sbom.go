// Package sbom writes software bills of materials of programs in the format CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
package sbom

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/dougu-go/dougu/release/internal/notices"
)

// Subject is the program to describe.
type Subject struct {
	Name, Version, License string
	Module                 string // path of the program's module
	System                 string // "linux/amd64"
	File                   []byte
	Time                   time.Time
}

type document struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []license  `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// license is a license identifier, or an expression of several.
type license struct {
	License    *named `json:"license,omitempty"`
	Expression string `json:"expression,omitempty"`
}

type named struct {
	ID string `json:"id"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// Write returns the bill of materials of a program and its modules.
func Write(s Subject, modules []notices.Module) ([]byte, error) {
	sum := sha256.Sum256(s.File)
	main := component{
		Type: "application", Name: s.Name, Version: s.Version, Licenses: licenses(s.License),
		PURL:   purl(s.Module, "v"+s.Version) + "#" + s.Name,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}, Properties: []property{{"go:target", s.System}},
	}
	main.Ref = main.PURL
	doc := document{
		Format: "CycloneDX", Spec: "1.6", Serial: serial(sum), Version: 1,
		Metadata:   metadata{s.Time.UTC().Format(time.RFC3339), main},
		Components: []component{},
	}
	all := dependency{Ref: main.Ref}
	var rest []dependency
	for _, m := range modules {
		c := component{Type: "library", Name: m.Path, Version: m.Version, Licenses: licenses(m.ID), PURL: purl(m.Path, m.Version)}
		if c.Ref = c.PURL; m.Sum != "" {
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		doc.Components = append(doc.Components, c)
		all.On = append(all.On, c.Ref)
		rest = append(rest, dependency{Ref: c.Ref})
	}
	doc.Dependencies = append([]dependency{all}, rest...)
	text, err := json.MarshalIndent(doc, "", "  ")
	return append(text, '\n'), err
}

func licenses(id string) []license {
	if strings.Contains(id, " ") {
		return []license{{Expression: id}}
	}
	return []license{{License: &named{id}}}
}

// purl returns the package URL of a module.
func purl(path, version string) string {
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		parts = append(parts, url.PathEscape(part))
	}
	return "pkg:golang/" + strings.Join(parts, "/") + "@" + url.PathEscape(version)
}

// serial returns a UUID that depends only on the program (RFC 9562, version 8).
func serial(sum [sha256.Size]byte) string {
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
