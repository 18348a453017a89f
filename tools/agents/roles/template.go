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

// Template is a settings file with all defaults and the built-in roles, as it is made where there is none.
func Template() []byte { return []byte(template) }

// builtin are the roles of the template.
func builtin() []Role {
	n, err := yamlfile.Decode(Template())
	if err != nil {
		panic(fmt.Sprintf("roles: the template is wrong: %v", err)) // a mistake in this package, found by its tests
	}
	return read("template", n).roles()
}

// Settings is the config.Decode of the file for who reads the other settings in it: what it has beside the roles.
func Settings(data []byte) (config.Node, error) {
	n, err := yamlfile.Decode(data)
	n.Members = slices.DeleteFunc(n.Members, func(m config.Member) bool { return m.Name == section })
	return n, err
}

// section is the setting that lists the roles.
const section = "roles"
