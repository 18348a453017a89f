package sbom_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/dougu-go/dougu/release/internal/notices"
	"github.com/dougu-go/dougu/release/internal/sbom"
)

func TestWrite(t *testing.T) {
	subject := sbom.Subject{
		Name: "prog", Version: "1.2.3", License: "Apache-2.0", Module: "example.com/main", System: "linux/amd64", File: []byte("program"),
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("there", 3600)),
	}
	modules := []notices.Module{
		{Path: "std", Version: "1.26.0", ID: "BSD-3-Clause"},
		{Path: "example.com/a", Version: "v2.0.0+incompatible", ID: "MIT AND Apache-2.0", Sum: "h1:abc="},
	}
	text, err := sbom.Write(subject, modules)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sbom.Write(subject, modules)
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("it is another one: %v", err)
	}
	var doc struct {
		BomFormat, SpecVersion, SerialNumber string
		Version                              int
		Metadata                             struct {
			Timestamp time.Time
			Component struct {
				Ref    string `json:"bom-ref"`
				Hashes []struct{ Alg, Content string }
			}
		}
		Components []struct {
			Ref      string `json:"bom-ref"`
			Purl     string
			Licenses []map[string]any
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.BomFormat != "CycloneDX" || doc.SpecVersion != "1.6" || doc.Version != 1 || !doc.Metadata.Timestamp.Equal(subject.Time) ||
		!regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(doc.SerialNumber) {
		t.Errorf("%+v", doc)
	}
	if h := doc.Metadata.Component.Hashes; len(h) != 1 || h[0].Alg != "SHA-256" || len(h[0].Content) != 64 {
		t.Errorf("%+v", h)
	}
	if c := doc.Components; len(c) != 2 || c[0].Purl != "pkg:golang/std@1.26.0" || c[1].Purl != "pkg:golang/example.com/a@v2.0.0+incompatible" ||
		c[1].Licenses[0]["expression"] != "MIT AND Apache-2.0" || c[0].Licenses[0]["license"].(map[string]any)["id"] != "BSD-3-Clause" {
		t.Errorf("%+v", c)
	}
	refs := map[string]bool{doc.Metadata.Component.Ref: true}
	for _, c := range doc.Components {
		refs[c.Ref] = true
	}
	if len(refs) != 3 || len(doc.Dependencies) != 3 || len(doc.Dependencies[0].DependsOn) != 2 {
		t.Errorf("%v, %+v", refs, doc.Dependencies)
	}
	for _, d := range doc.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !refs[ref] {
				t.Errorf("%s is nothing that is described", ref)
			}
		}
	}
}
