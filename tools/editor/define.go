package editor

import (
	"errors"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// toolTimeout ends a call before the usual timeout of clients.
const toolTimeout = 45 * time.Second

// toolDefinition is a tool and its condition.
type toolDefinition struct {
	tool      mcp.ServerTool
	available func(*Editor) bool // reports whether the tool is listed now; nil is always
}

// define returns the tools of the set.
func (e *Editor) define() ([]toolDefinition, error) {
	offers := slices.Concat(e.defineEdits(), e.defineDiagnostics(), e.defineWindows(), e.defineNavigation(), e.defineRefactorings(), e.defineSymbols())
	var faults []error
	for i := range offers {
		offers[i].tool = offers[i].tool.With(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: e.limits.MaxResult()})
		faults = append(faults, offers[i].tool.Err())
	}
	return offers, errors.Join(faults...)
}

// defineEdits returns the tools that change code.
func (e *Editor) defineEdits() []toolDefinition {
	return []toolDefinition{
		{mcp.NewTool(mcp.Tool{
			Name: "insert_code", Annotations: mcp.Additive(),
			Description: "Inserts lines into a file, indented like the code around. Returns new errors.",
		}, e.InsertCode), nil},
		{mcp.NewTool(mcp.Tool{
			Name: "delete_code", Annotations: mcp.Destructive(),
			Description: "Deletes lines of a file.",
		}, e.DeleteCode), nil},
		{mcp.NewTool(mcp.Tool{
			Name: "replace_code", Annotations: mcp.Destructive(),
			Description: "Replaces every occurrence of a text or regex in a file, or in the files of a glob. Shows a preview unless preview=false.",
		}, e.ReplaceCode), nil},
		{mcp.NewTool(mcp.Tool{
			Name: "format_document", Annotations: mcp.Destructive(),
			Description: "Formats a file with the formatter and the settings of the project.",
		}, e.Format), hasAdapter[adapter.Formatter]},
	}
}

// defineDiagnostics returns the tools that report and fix diagnostics.
func (e *Editor) defineDiagnostics() []toolDefinition {
	return []toolDefinition{
		{mcp.NewTool(mcp.Tool{
			Name: "get_diagnostics", Annotations: mcp.ReadOnly(),
			Description: "Returns errors and warnings, and which files were not checked.",
		}, e.Diagnostics), hasDiagnostics},
		{mcp.NewTool(mcp.Tool{
			Name: "get_quick_fixes", Annotations: mcp.ReadOnly(),
			Description: "Lists changes that fix a diagnostic, with their diffs.",
		}, e.QuickFixes), hasAdapter[adapter.Fixer]},
		{mcp.NewTool(mcp.Tool{
			Name: "apply_quick_fix", Annotations: mcp.Destructive(),
			Description: "Applies a fix of get_quick_fixes, once.",
		}, e.ApplyQuickFix), hasAdapter[adapter.Fixer]},
	}
}

// defineWindows returns the tools for the user's editor window.
func (e *Editor) defineWindows() []toolDefinition {
	opens := mcp.Additive()
	opens.Idempotent = new(true)
	return []toolDefinition{
		{mcp.NewTool(mcp.Tool{
			Name: "open_file_in_editor", Annotations: opens,
			Description: "Shows a file to the user, in their editor. Creates it if it is missing.",
		}, e.OpenFile), hasAdapter[adapter.Windows]},
		{mcp.NewTool(mcp.Tool{
			Name: "get_active_file", Annotations: mcp.ReadOnly(),
			Description: "Returns the file that the user looks at, the cursor and the selection.",
		}, e.ActiveFile), hasAdapter[adapter.Windows]},
		{mcp.NewTool(mcp.Tool{
			Name: "insert_text", Annotations: mcp.Additive(),
			Description: "Inserts text at the cursor of the active file, or at a position of it.",
		}, e.InsertText), hasActive},
		{mcp.NewTool(mcp.Tool{
			Name: "replace_text", Annotations: mcp.Destructive(),
			Description: "Replaces a range of the active file.",
		}, e.ReplaceText), hasActive},
	}
}

// hasActive reports whether an adapter offers windows and an adapter offers buffers.
func hasActive(e *Editor) bool {
	return hasAdapter[adapter.Windows](e) && hasAdapter[adapter.Buffers](e)
}

// hasDiagnostics reports whether an adapter or the syntax checker can check files.
func hasDiagnostics(e *Editor) bool {
	return e.options.Syntax != nil || hasAdapter[adapter.Diagnoser](e)
}

// hasNavigator reports whether an adapter can follow names; with Options.OnlyCovered in a language of the project.
func hasNavigator(e *Editor) bool {
	for a := range adaptersWith[adapter.Navigator](e, nil) {
		limited, ok := a.(adapter.Coverage)
		if !ok || !e.options.OnlyCovered || limited.CoversProject() {
			return true
		}
	}
	return false
}

// defineNavigation returns the tools for symbols.
func (e *Editor) defineNavigation() []toolDefinition {
	return []toolDefinition{
		{mcp.NewTool(mcp.Tool{
			Name: "find_definition", Annotations: mcp.ReadOnly(),
			Description: "Shows the declaration of a name, with its code.",
		}, e.FindDefinition), hasNavigator},
		{mcp.NewTool(mcp.Tool{
			Name: "find_references", Annotations: mcp.ReadOnly(),
			Description: "Shows every line that uses a name, by meaning and not by spelling.",
		}, e.FindReferences), hasNavigator},
		{mcp.NewTool(mcp.Tool{
			Name: "rename_symbol", Annotations: mcp.Destructive(),
			Description: "Renames a variable, function or type everywhere. A dry run unless dryRun=false.",
		}, e.Rename), hasNavigator},
	}
}

// defineRefactorings returns the refactoring tools.
func (e *Editor) defineRefactorings() []toolDefinition {
	return []toolDefinition{
		{mcp.NewTool(mcp.Tool{
			Name: "list_refactorings", Annotations: mcp.ReadOnly(),
			Description: "Lists refactorings of code: extract, inline, move, rewrite, organize imports.",
		}, e.ListRefactorings), hasAdapter[adapter.Refactorer]},
		{mcp.NewTool(mcp.Tool{
			Name: "extract_method", Annotations: mcp.Destructive(),
			Description: "Extracts code into a method or function. Shows a preview unless preview=false; apply_refactoring applies it.",
		}, e.ExtractMethod), hasAdapter[adapter.Refactorer]},
		{mcp.NewTool(mcp.Tool{
			Name: "apply_refactoring", Annotations: mcp.Destructive(),
			Description: "Applies a refactoring by its id, or by path, lines and kind. Shows a preview unless preview=false.",
		}, e.ApplyRefactoring), hasAdapter[adapter.Refactorer]},
	}
}

// hasSymbols reports whether the project has a file with symbols.
func hasSymbols(e *Editor) bool { return e.hasSources() }

// defineSymbols returns the tools that find and edit symbols by name path; none without Options.Parsers.
func (e *Editor) defineSymbols() []toolDefinition {
	if e.options.Parsers == nil {
		return nil
	}
	return []toolDefinition{
		{mcp.NewTool(mcp.Tool{
			Name: "find_symbol", Annotations: mcp.ReadOnly(),
			Description: "Finds declarations by name path, with members, code or documentation. With a path alone: the outline of the file.",
		}, e.FindSymbol), hasSymbols},
		{mcp.NewTool(mcp.Tool{
			Name: "find_hierarchy", Annotations: mcp.ReadOnly(),
			Description: "Shows the super- or subtypes of a type, or the callers or callees of a function.",
		}, e.FindHierarchy), hasSymbols},
		{mcp.NewTool(mcp.Tool{
			Name: "insert_before_symbol", Annotations: mcp.Additive(),
			Description: "Inserts code before a declaration and its comment.",
		}, e.InsertBeforeSymbol), hasSymbols},
		{mcp.NewTool(mcp.Tool{
			Name: "insert_after_symbol", Annotations: mcp.Additive(),
			Description: "Inserts code after a declaration.",
		}, e.InsertAfterSymbol), hasSymbols},
		{mcp.NewTool(mcp.Tool{
			Name: "replace_symbol_body", Annotations: mcp.Destructive(),
			Description: "Replaces a whole declaration: signature and body. Its comment stays.",
		}, e.ReplaceSymbolBody), hasSymbols},
		{mcp.NewTool(mcp.Tool{
			Name: "delete_symbol", Annotations: mcp.Destructive(),
			Description: "Deletes a declaration, unless something refers to it: then it shows where.",
		}, e.DeleteSymbol), hasSymbols},
	}
}

// SymbolTools returns the names of the tools that find and edit symbols by name path.
func SymbolTools() []string {
	return []string{"find_symbol", "find_hierarchy", "insert_before_symbol", "insert_after_symbol", "replace_symbol_body", "delete_symbol"}
}
