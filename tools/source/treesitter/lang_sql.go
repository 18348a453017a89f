package treesitter

import "github.com/dougu-go/dougu/tools/source"

func sqlGrammar() grammar {
	return grammar{language: "sql", added: &source.Definition{
		Aliases: []string{"psql", "mysql", "plpgsql"}, Extensions: []string{".sql", ".ddl"},
		Signs: []string{"SELECT ", "FROM ", "WHERE ", "CREATE TABLE", "INSERT INTO", "select ", "from ", "create table", "JOIN ", "PRIMARY KEY"},
		Syntax: source.Syntax{
			LineComments:  []string{"--"},
			BlockComments: []source.Delimiters{{Open: "/*", Close: "*/"}},
			Strings:       []source.Delimiters{{Open: "'", Close: "'", Raw: true}},
			Keywords: []string{
				"alter", "and", "as", "by", "create", "delete", "drop", "from", "function", "group", "index", "insert", "into", "join", "not",
				"null", "on", "or", "order", "primary", "select", "set", "table", "trigger", "type", "update", "values", "view", "where",
			},
		},
	}}
}
