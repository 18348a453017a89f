package roles

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

//go:embed kuromajutsu.config.yaml
var template string

// Template returns a settings file with all defaults and the built-in roles. It is the content of a
// new file.
func Template() []byte { return []byte(template) }

// builtin returns the roles of the template.
func builtin() []Role {
	n, err := yamlfile.Decode(Template())
	if err != nil {
		panic(fmt.Sprintf("roles: the template is wrong: %v", err)) // a defect of this package, which its tests detect
	}
	return read("template", n).roles()
}

// DecodeSettings decodes a settings file for config, without its roles.
func DecodeSettings(data []byte) (config.Node, error) {
	n, err := yamlfile.Decode(data)
	n.Members = slices.DeleteFunc(n.Members, func(m config.Member) bool { return m.Name == section })
	return n, err
}

// section is the setting that contains the list of roles.
const section = "roles"
