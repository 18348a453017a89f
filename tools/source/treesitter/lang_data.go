package treesitter

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func jsonGrammar() grammar {
	return grammar{language: "json", added: &source.Definition{
		Aliases: []string{"jsonc"}, Extensions: []string{".json", ".jsonc", ".webmanifest"}, Data: true,
		Syntax: source.Syntax{LineComments: []string{"//"}, Strings: []source.Delimiters{{Open: `"`, Close: `"`}}},
	}}
}

func yamlGrammar() grammar {
	return grammar{language: "yaml", adjust: keyChunk, added: &source.Definition{
		Aliases: []string{"yml"}, Extensions: []string{".yaml", ".yml"}, FileNames: []string{".clang-format"}, Data: true,
		Syntax: source.Syntax{LineComments: []string{"#"}, Strings: []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}}},
	}}
}

func tomlGrammar() grammar {
	return grammar{language: "toml", adjust: keyChunk, added: &source.Definition{
		Extensions: []string{".toml"}, FileNames: []string{"Cargo.lock", "poetry.lock", "Pipfile"}, Data: true,
		Syntax: source.Syntax{
			LineComments: []string{"#"},
			Strings: []source.Delimiters{
				{Open: `"""`, Close: `"""`}, {Open: "'''", Close: "'''", Raw: true}, {Open: `"`, Close: `"`}, {Open: "'", Close: "'", Raw: true},
			},
		},
	}}
}

// keyChunk removes the quotes of a key.
func keyChunk(_ []byte, c *source.Chunk) bool {
	c.Name = strings.Trim(c.Name, `"' `)
	return c.Name != ""
}
