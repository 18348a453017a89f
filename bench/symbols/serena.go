package main

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/editor"
)

// serenaTool is the definition of a tool of Serena.
type serenaTool struct {
	name        string
	description int      // bytes of the documentation, which becomes the descriptions of the tool and its parameters
	parameters  []string // with their JSON types
}

// serenaTools are the tools of Serena's module symbol_tools that are not optional, without the one for diagnostics.
func serenaTools() []serenaTool {
	return []serenaTool{
		{"get_symbols_overview", 797, []string{"relative_path:string", "depth:integer", "max_answer_chars:integer"}},
		{"find_symbol", 2665, []string{"name_path_pattern:string", "depth:integer", "relative_path:string", "include_body:boolean", "include_info:boolean", "include_kinds:array", "exclude_kinds:array", "substring_matching:boolean", "max_matches:integer", "max_answer_chars:integer"}},
		{"find_referencing_symbols", 629, []string{"name_path:string", "relative_path:string", "include_kinds:array", "exclude_kinds:array", "max_answer_chars:integer"}},
		{"find_implementations", 743, []string{"name_path:string", "relative_path:string", "include_info:boolean", "include_kinds:array", "exclude_kinds:array", "max_answer_chars:integer"}},
		{"find_declaration", 908, []string{"relative_path:string", "regex:string", "containing_symbol_name_path:string", "include_body:boolean", "include_info:boolean"}},
		{"replace_symbol_body", 593, []string{"name_path:string", "relative_path:string", "body:string"}},
		{"insert_after_symbol", 388, []string{"name_path:string", "relative_path:string", "body:string"}},
		{"insert_before_symbol", 520, []string{"name_path:string", "relative_path:string", "body:string"}},
		{"rename_symbol", 465, []string{"name_path:string", "relative_path:string", "new_name:string"}},
		{"safe_delete_symbol", 266, []string{"name_path_pattern:string", "relative_path:string"}},
	}
}

// serenaDefinitions returns the modelled bytes of the definitions of Serena's tools: the documentation, and a schema with the name,
// the title and the type of each parameter.
func serenaDefinitions() int {
	size := 0
	for _, t := range serenaTools() {
		properties := make(map[string]any)
		var required []string
		for _, p := range t.parameters {
			name, kind, _ := strings.Cut(p, ":")
			properties[name] = map[string]any{"title": name, "type": kind, "description": ""}
			required = append(required, name)
		}
		data, _ := json.Marshal(map[string]any{"name": t.name, "description": "", "inputSchema": map[string]any{"type": "object", "title": "applyArguments", "properties": properties, "required": required[:1]}})
		size += len(data) + t.description
	}
	return size
}

// object is a JSON object of Serena.
type object = map[string]any

// modelCall counts a call of Serena with a JSON answer, or with a text.
func (b *bench) modelCall(name string, args object, answer any) {
	text, isText := answer.(string)
	if !isText {
		data, _ := json.Marshal(answer)
		text = spaced(string(data))
	}
	data, _ := json.Marshal(args)
	b.serena.calls++
	b.serena.bytes += len(name) + len(data) + len(text)
	if b.verbose != nil {
		fmt.Fprintf(b.verbose, "serena: %s %s\n%s\n", name, data, text)
	}
}

// spaced adds the blanks that the JSON encoder of Python writes after separators.
func spaced(text string) string {
	var b strings.Builder
	quoted := false
	for i := range len(text) {
		b.WriteByte(text[i])
		switch c := text[i]; {
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			quoted = !quoted
		case !quoted && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// namePath returns the name path and the file of an ID.
func namePath(id string) (name, file string) {
	file, name, _ = strings.Cut(id, "#")
	return strings.ReplaceAll(name, ".", "/"), file
}

// modelSymbol returns a symbol as Serena's find_symbol returns it. Lines count from 0.
func modelSymbol(s editor.SymbolInfo) object {
	name, file := namePath(s.ID)
	o := object{"name_path": name, "kind": s.Kind, "relative_path": file, "body_location": object{"start_line": s.Line - 1, "end_line": s.EndLine - 1}}
	if s.Body != "" {
		o["body"] = s.Body
	}
	if s.Info != "" {
		o["info"] = s.Signature + "\n" + s.Info
	}
	if len(s.Members) > 0 {
		o["children"] = groupMembers(s.Members)
	}
	return o
}

// groupMembers returns the names of members by kind.
func groupMembers(members []editor.SymbolMember) object {
	groups := make(map[string][]string)
	for _, m := range members {
		groups[m.Kind] = append(groups[m.Kind], m.Name)
	}
	o := make(object)
	for kind, names := range groups {
		o[kind] = names
	}
	return o
}

// modelFind counts a call of Serena's find_symbol with the symbols of an answer.
func (b *bench) modelFind(args object, symbols []editor.SymbolInfo) {
	all := make([]object, len(symbols))
	for i, s := range symbols {
		all[i] = modelSymbol(s)
	}
	b.modelCall("find_symbol", args, all)
}

// modelOverview counts a call of Serena's get_symbols_overview.
func (b *bench) modelOverview(file string, depth int, symbols []editor.SymbolInfo) {
	groups := make(map[string][]any)
	for _, s := range symbols {
		name, _ := namePath(s.ID)
		var one any = path.Base(name)
		if len(s.Members) > 0 {
			one = object{path.Base(name): groupMembers(s.Members)}
		}
		groups[s.Kind] = append(groups[s.Kind], one)
	}
	args := object{"relative_path": file}
	if depth > 0 {
		args["depth"] = depth
	}
	b.modelCall("get_symbols_overview", args, groups)
}

// modelReferences counts a call of Serena's find_referencing_symbols: the symbols around the references with three lines each, without
// the declaration itself.
func (b *bench) modelReferences(id string, r editor.FindReferencesResult) error {
	name, file := namePath(id)
	groups := make(object)
	for _, f := range r.Files {
		var all []object
		for _, ref := range f.References {
			if ref.Symbol == name && f.Path == file {
				continue
			}
			text, err := b.text(f.Path, ref.Line-1, ref.Line+1)
			if err != nil {
				return err
			}
			var numbered []string
			for i, line := range strings.Split(text, "\n") {
				numbered = append(numbered, fmt.Sprintf("%s%4d:%s", []string{"...", "  >", "..."}[i%3], ref.Line-2+i, line))
			}
			all = append(all, object{"name_path": ref.Symbol, "body_location": object{"start_line": ref.Line - 1, "end_line": ref.Line - 1}, "content_around_reference": strings.Join(numbered, "\n")})
		}
		if len(all) > 0 {
			groups[f.Path] = object{"Function": all}
		}
	}
	b.modelCall("find_referencing_symbols", object{"name_path": name, "relative_path": file}, groups)
	return nil
}

// modelEdit counts a call of an editing tool of Serena, which returns a short confirmation.
func (b *bench) modelEdit(tool, id, body string) {
	name, file := namePath(id)
	b.modelCall(tool, object{"name_path": name, "relative_path": file, "body": body}, "OK")
}
