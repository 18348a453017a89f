package main

import "github.com/dougu-go/dougu/bench/catalog"

// list is encoded for each tools/list, as in a program without a cache.
type list struct {
	Tools []tool `json:"tools"`
}

type tool struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	InputSchema  schema `json:"inputSchema"`
	OutputSchema schema `json:"outputSchema"`
}

type schema struct {
	Type                 string            `json:"type"`
	Description          string            `json:"description,omitempty"`
	Properties           map[string]schema `json:"properties,omitempty"`
	Required             []string          `json:"required,omitempty"`
	Items                *schema           `json:"items,omitempty"`
	AdditionalProperties *bool             `json:"additionalProperties,omitempty"`
}

func tools(total int) ([]tool, error) {
	noops, err := catalog.Noops(total)
	if err != nil {
		return nil, err
	}
	listed := []tool{
		{catalog.SmallName, catalog.SmallDescription, greetArgs(), greeting()},
		{catalog.SearchName, catalog.SearchDescription, searchArgs(), searchResult()},
		{catalog.SizeName, catalog.SizeDescription,
			object("", member{"text", is("string", "The text to measure")}),
			object("", member{"bytes", is("integer", "The length of the text in bytes of UTF-8")})},
	}
	for _, n := range noops {
		listed = append(listed, tool{n.Name, n.Description, noopArgs(n.Shape),
			object("", member{"ok", is("boolean", "Whether it was done")})})
	}
	return listed, nil
}

func greetArgs() schema {
	return object("",
		member{"name", is("string", "Who to greet")},
		member{"count", is("integer", "How many greetings are wanted")},
		member{"tags", arrayOf(is("string", ""), "Labels that the answer repeats")},
		member{"opt", object("Finer settings",
			member{"deep", is("boolean", "Whether the tags are counted too")},
			member{"f", is("number", "A weight that the answer leaves alone")})})
}

func greeting() schema {
	return object("",
		member{"greeting", is("string", "The words of the greeting")},
		member{"total", is("integer", "The count, with the tags when they were counted too")},
		member{"tags", arrayOf(is("string", ""), "The labels of the call")})
}

func searchArgs() schema {
	return object("",
		member{"query", is("string", "What to look for")},
		member{"limit", is("integer", "How many hits are wanted, at most 20")})
}

func searchResult() schema {
	return object("", member{"hits", arrayOf(object("",
		member{"path", is("string", "The file, relative to the project")},
		member{"line", is("integer", "The line in the file, from 1")},
		member{"column", is("integer", "The byte in the line, from 1")},
		member{"score", is("number", "How well the line matches, from 0 to 1")},
		member{"snippet", is("string", "The text of the line")},
		member{"symbol", is("string", "The declaration that the line is in")},
	), "The matching lines, best first")})
}

func noopArgs(shape catalog.Shape) schema {
	switch shape {
	case catalog.Find:
		return object("",
			member{"query", is("string", "The name to look for")},
			member{"language", is("string", "The language to look in, all of them when empty")},
			member{"maxResults", is("integer", "How many declarations to return at most")})
	case catalog.Run:
		return object("",
			member{"command", is("string", "The command line to run")},
			member{"directory", is("string", "Where to run it, relative to the project")},
			member{"timeoutMs", is("integer", "How long it may take, in milliseconds")},
			member{"env", arrayOf(is("string", ""), "Variables to set, each as NAME=value")})
	case catalog.Edit:
		return object("",
			member{"path", is("string", "The file to change, relative to the project")},
			member{"oldText", is("string", "The text to replace")},
			member{"newText", is("string", "The text to put in its place")},
			member{"dryRun", is("boolean", "Whether only to say what would change")})
	default:
		return object("",
			member{"path", is("string", "The file to read, relative to the project")},
			member{"encoding", is("string", "The encoding of the file, utf-8 unless told otherwise")},
			member{"offset", is("integer", "The first line to return, from 1")},
			member{"limit", is("integer", "How many lines to return at most")})
	}
}

type member struct {
	name   string
	schema schema
}

func object(description string, members ...member) schema {
	s := schema{Type: "object", Description: description, Properties: map[string]schema{}, AdditionalProperties: new(bool)}
	for _, m := range members {
		s.Properties[m.name] = m.schema
		s.Required = append(s.Required, m.name)
	}
	return s
}

func arrayOf(items schema, description string) schema {
	return schema{Type: "array", Description: description, Items: &items}
}

func is(kind, description string) schema { return schema{Type: kind, Description: description} }
