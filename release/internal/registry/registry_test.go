package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/registry"
)

var sum = strings.Repeat("0a", 32)

// The file of every program is valid for the schema and the further rules of the registry
// (docs/reference/server-json/official-registry-requirements.md there).
func TestFile_AllPrograms(t *testing.T) {
	for _, p := range catalog.All() {
		text, err := registry.File(p, "1.2.3", []registry.Bundle{{File: p.Name + "_1.2.3_linux_amd64.mcpb", SHA256: sum}})
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		var file struct {
			Schema   string `json:"$schema"`
			Name     string
			Packages []struct{ RegistryType, Identifier, FileSha256 string }
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		if file.Schema != registry.Schema || file.Name != "io.github.dougu-go/"+p.Name || len(file.Packages) == 0 || (len(file.Packages) == 2) != p.Contained {
			t.Errorf("%s", text)
		}
		for _, packaged := range file.Packages {
			switch packaged.RegistryType {
			case "mcpb":
				if !strings.HasPrefix(packaged.Identifier, "https://github.com/dougu-go/dougu/releases/download/v1.2.3/") || packaged.FileSha256 != sum {
					t.Errorf("%+v", packaged)
				}
			case "oci":
				if packaged.Identifier != "ghcr.io/dougu-go/"+p.Name+":1.2.3" {
					t.Errorf("%+v", packaged)
				}
			default:
				t.Errorf("%+v", packaged)
			}
		}
	}
}

func TestValidate_Invalid(t *testing.T) {
	p := catalog.All()[0]
	p.About = strings.Repeat("x", 101)
	if _, err := registry.File(p, "1.2.3", nil); err == nil || !strings.Contains(err.Error(), "description") {
		t.Error(err)
	}
	if _, err := registry.File(catalog.All()[0], "1.2.3", []registry.Bundle{{File: "x.mcpb", SHA256: "abc"}}); err == nil || !strings.Contains(err.Error(), "fileSha256") {
		t.Error(err)
	}
	for _, text := range []string{"", "{", "{}", `{"name":"no namespace","description":"x","version":"1"}`} {
		if registry.Validate([]byte(text)) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
