package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor"
)

// task is one piece of work. solve makes the calls of this library and models the calls of Serena.
type task struct {
	name  string
	solve func(ctx context.Context, b *bench) error
}

// tasks returns the 20 tasks. Later tasks see the changes of earlier ones.
func tasks() []task {
	return []task{
		{"outline of a file", outline("builder.go", 0)},
		{"outline of a file with members", outline("chunk.go", 1)},
		{"code of a method by its name", body("Builder/Add", "")},
		{"code of a function in a known file", body("quotedLen", "signature.go")},
		{"code of a long method", body("Parsers/Parse", "parser.go")},
		{"documentation of a method", info("Kind/IsCallable")},
		{"documentation of a type", info("Definer")},
		{"members of a type", members("Definition")},
		{"functions with a part of a name", substring("Comment")},
		{"types with a part of a name", substring("Pars")},
		{"references to a function", references("checkParsed")},
		{"references to a type", references("lineIndex")},
		{"callers of a function", callers("collapseSpace")},
		{"functions that a method calls", callees("Parsers/parseRepaired")},
		{"read and replace a method", replace},
		{"insert a function before another one", insert("insert_before_symbol", "commentLen", "// helper returns n.\nfunc helper(n int) int { return n }")},
		{"insert a method after another one", insert("insert_after_symbol", "Kind/IsValue", "// IsModule reports whether the kind is a module.\nfunc (k Kind) IsModule() bool { return k == Module }")},
		{"insert a field", insert("insert_after_symbol", "Import/Line", "Alias string // name in the file")},
		{"delete an unused function", deleteSymbol("helper", false)},
		{"refuse to delete a used function", deleteSymbol("checkParsed", true)},
	}
}

func outline(file string, depth int) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		r, err := b.find(ctx, editor.FindSymbolArgs{Path: file, Depth: depth, Limit: 200})
		b.modelOverview(file, depth, r.Symbols)
		return err
	}
}

func body(symbol, file string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		r, err := b.find(ctx, editor.FindSymbolArgs{Symbol: symbol, Path: file, Body: true})
		args := object{"name_path_pattern": symbol, "include_body": true}
		if file != "" {
			args["relative_path"] = file
		}
		b.modelFind(args, r.Symbols)
		return err
	}
}

func info(symbol string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		r, err := b.find(ctx, editor.FindSymbolArgs{Symbol: symbol, Info: true})
		b.modelFind(object{"name_path_pattern": symbol, "include_info": true}, r.Symbols)
		return err
	}
}

func members(symbol string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		r, err := b.find(ctx, editor.FindSymbolArgs{Symbol: symbol, Kind: "type", Depth: 1})
		b.modelFind(object{"name_path_pattern": symbol, "include_kinds": []int{5, 11, 23}, "depth": 1}, r.Symbols)
		return err
	}
}

func substring(part string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		r, err := b.find(ctx, editor.FindSymbolArgs{Symbol: part, Substring: true, Kind: "callable", Limit: 200})
		b.modelFind(object{"name_path_pattern": part, "substring_matching": true, "include_kinds": []int{6, 9, 12}}, r.Symbols)
		return err
	}
}

// identify finds the ID of a symbol, which Serena's other tools need as a name path and a file. The call is counted for Serena only:
// the tools of this library find the symbol themselves.
func (b *bench) identify(ctx context.Context, symbol string) (string, error) {
	r, err := b.FindSymbol(ctx, editor.FindSymbolArgs{Symbol: symbol})
	if err != nil {
		return "", err
	}
	if len(r.Symbols) != 1 {
		return "", fmt.Errorf("there are %d symbols %s", len(r.Symbols), symbol)
	}
	b.modelFind(object{"name_path_pattern": symbol}, r.Symbols)
	return r.Symbols[0].ID, nil
}

func references(symbol string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		id, err := b.identify(ctx, symbol)
		if err != nil {
			return err
		}
		r, err := call(ctx, b, "find_references", b.FindReferences, editor.FindReferencesArgs{Target: editor.Target{Symbol: symbol}})
		if err != nil {
			return err
		}
		return b.modelReferences(id, r)
	}
}

// callers asks for the call hierarchy. Serena has none; its references show the calling symbols.
func callers(symbol string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		id, err := b.identify(ctx, symbol)
		if err != nil {
			return err
		}
		if _, err := call(ctx, b, "find_hierarchy", b.FindHierarchy, editor.FindHierarchyArgs{Target: editor.Target{Symbol: symbol}, Direction: "callers"}); err != nil {
			return err
		}
		r, err := b.FindReferences(ctx, editor.FindReferencesArgs{Target: editor.Target{Symbol: symbol}})
		if err != nil {
			return err
		}
		return b.modelReferences(id, r)
	}
}

// callees asks for the call hierarchy. With Serena, a model reads the body.
func callees(symbol string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		if _, err := call(ctx, b, "find_hierarchy", b.FindHierarchy, editor.FindHierarchyArgs{Target: editor.Target{Symbol: symbol}, Direction: "callees"}); err != nil {
			return err
		}
		r, err := b.FindSymbol(ctx, editor.FindSymbolArgs{Symbol: symbol, Body: true})
		b.modelFind(object{"name_path_pattern": symbol, "include_body": true}, r.Symbols)
		return err
	}
}

func replace(ctx context.Context, b *bench) error {
	const symbol, code = "Kind/IsCallable", "func (k Kind) IsCallable() bool { return k >= Function && k <= Lambda }"
	r, err := b.find(ctx, editor.FindSymbolArgs{Symbol: symbol, Body: true})
	if err != nil {
		return err
	}
	b.modelFind(object{"name_path_pattern": symbol, "include_body": true}, r.Symbols)
	if _, err := call(ctx, b, "replace_symbol_body", b.ReplaceSymbolBody, editor.ReplaceSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: symbol}, Body: code}); err != nil {
		return err
	}
	b.modelEdit("replace_symbol_body", r.Symbols[0].ID, code)
	return nil
}

func insert(tool, symbol, code string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		id, err := b.identify(ctx, symbol)
		if err != nil {
			return err
		}
		do := b.InsertAfterSymbol
		if tool == "insert_before_symbol" {
			do = b.InsertBeforeSymbol
		}
		if _, err := call(ctx, b, tool, do, editor.InsertSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: symbol}, Content: code}); err != nil {
			return err
		}
		b.modelEdit(tool, id, code)
		return nil
	}
}

func deleteSymbol(symbol string, used bool) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		id, err := b.identify(ctx, symbol)
		if err != nil {
			return err
		}
		name, file := namePath(id)
		r, err := b.FindReferences(ctx, editor.FindReferencesArgs{Target: editor.Target{Symbol: symbol}})
		if err != nil {
			return err
		}
		_, err = call(ctx, b, "delete_symbol", b.DeleteSymbol, editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: symbol}})
		if used != (err != nil) {
			return fmt.Errorf("a deletion that should be refused: %v: %w", used, errors.Join(err, errors.New("unexpected result")))
		}
		answer := any("OK")
		if used {
			var all []object
			for _, f := range r.Files {
				for _, ref := range f.References {
					all = append(all, object{"name_path": ref.Symbol, "relative_path": f.Path, "line": ref.Line})
				}
			}
			answer = all
		}
		b.modelCall("safe_delete_symbol", object{"name_path_pattern": name, "relative_path": file}, answer)
		return nil
	}
}
