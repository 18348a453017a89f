package treesitter

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func hclGrammar() grammar {
	return grammar{language: "terraform", file: "hcl", adjust: hclChunk, added: &source.Definition{
		Aliases: []string{"hcl", "tf", "opentofu"}, Extensions: []string{".tf", ".tfvars", ".hcl", ".tofu"},
		Signs: []string{`resource "`, `variable "`, `provider "`, `module "`, "= var.", `data "`, `output "`, "locals {"},
		Syntax: source.Syntax{
			LineComments:  []string{"#", "//"},
			BlockComments: []source.Delimiters{{Open: "/*", Close: "*/"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}},
			Keywords:      []string{"data", "for", "if", "in", "locals", "module", "output", "provider", "resource", "terraform", "variable"},
		},
	}}
}

// hclChunk names a block by its address in Terraform: aws_s3_bucket.b for resource "aws_s3_bucket" "b", var.region for a variable.
func hclChunk(src []byte, c *source.Chunk) bool {
	if c.Kind != source.Object {
		return true
	}
	head, _, _ := bytes.Cut(src[c.Ident:c.End], []byte("{"))
	words := strings.Fields(string(head))
	for i, word := range words {
		words[i] = strings.Trim(word, `"`)
	}
	switch {
	case len(words) < 2:
	case words[0] == "resource":
		words = words[1:]
	case words[0] == "variable":
		words[0] = "var"
	}
	c.Name = strings.Join(words, ".")
	return c.Name != ""
}
