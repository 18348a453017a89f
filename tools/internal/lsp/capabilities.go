package lsp

import (
	"encoding/json"
	"strings"
)

// serverCapabilities are the capabilities from initialize, by member.
type serverCapabilities map[string]json.RawMessage

// providers are the members that stand for methods.
var providers = map[string]string{
	"textDocument/definition":      "definitionProvider",
	"textDocument/references":      "referencesProvider",
	"textDocument/rename":          "renameProvider",
	"textDocument/documentSymbol":  "documentSymbolProvider",
	"workspace/symbol":             "workspaceSymbolProvider",
	"textDocument/formatting":      "documentFormattingProvider",
	"textDocument/rangeFormatting": "documentRangeFormattingProvider",
	"textDocument/codeAction":      "codeActionProvider",
	"textDocument/diagnostic":      "diagnosticProvider",
	"workspace/executeCommand":     "executeCommandProvider",

	"textDocument/hover":                "hoverProvider",
	"textDocument/prepareCallHierarchy": "callHierarchyProvider",
	"textDocument/prepareTypeHierarchy": "typeHierarchyProvider",
}

// Provider is the capability of servers that know a method; "" for one that is not known.
func Provider(method string) string { return providers[method] }

// options returns the server's options for a method, and whether the server supports it.
func (c serverCapabilities) options(method string) (json.RawMessage, bool) {
	raw := c[providers[method]]
	return raw, present(raw) && string(raw) != "false"
}

// bool reads an option of a method.
func option[T any](raw json.RawMessage, path ...string) (value T) {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return value
		}
		raw = members[name]
	}
	var read T
	if json.Unmarshal(raw, &read) == nil {
		value = read
	}
	return value
}

// clientCapabilities returns the fixed capabilities of this client.
func clientCapabilities() map[string]any {
	yes := map[string]any{"dynamicRegistration": true}
	return map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-16"}},
		"window":  map[string]any{"workDoneProgress": true},
		"workspace": map[string]any{
			"applyEdit":              true,
			"workspaceEdit":          map[string]any{"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"}, "failureHandling": "transactional"},
			"didChangeConfiguration": yes,
			"didChangeWatchedFiles":  map[string]any{"dynamicRegistration": true, "relativePatternSupport": true},
			"configuration":          true,
			"workspaceFolders":       true,
			"symbol":                 map[string]any{"symbolKind": map[string]any{"valueSet": kinds()}},
			"executeCommand":         map[string]any{},
			"diagnostics":            map[string]any{"refreshSupport": true},
		},
		"textDocument": map[string]any{
			"synchronization":    map[string]any{"didSave": true},
			"publishDiagnostics": map[string]any{"versionSupport": true, "codeDescriptionSupport": true, "dataSupport": true, "relatedInformation": true, "tagSupport": map[string]any{"valueSet": []int{1, 2}}},
			"diagnostic":         map[string]any{"dynamicRegistration": true, "relatedDocumentSupport": false},
			"codeAction": map[string]any{
				"isPreferredSupport": true, "disabledSupport": true, "dataSupport": true,
				"resolveSupport":           map[string]any{"properties": []string{"edit", "command"}},
				"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.move", "refactor.rewrite", "source", "source.organizeImports", "source.fixAll"}}},
			},
			"definition":      map[string]any{"linkSupport": true},
			"references":      map[string]any{},
			"hover":           map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
			"callHierarchy":   map[string]any{},
			"typeHierarchy":   map[string]any{},
			"rename":          map[string]any{"prepareSupport": true},
			"formatting":      map[string]any{},
			"rangeFormatting": map[string]any{},
			"documentSymbol":  map[string]any{"hierarchicalDocumentSymbolSupport": true, "symbolKind": map[string]any{"valueSet": kinds()}},
		},
	}
}

// symbolKinds are the names of kinds of symbols, from 1.
var symbolKinds = strings.Fields("file module namespace package class method property field constructor enum interface function variable constant " +
	"string number boolean array object key null enummember struct event operator typeparameter")

// SymbolKind is the name of a kind of symbol; "" for one that is not known.
func SymbolKind(kind int) string {
	if kind < 1 || kind > len(symbolKinds) {
		return ""
	}
	return symbolKinds[kind-1]
}

func kinds() []int {
	all := make([]int, len(symbolKinds))
	for i := range all {
		all[i] = i + 1
	}
	return all
}
