package editor

import (
	"errors"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// toolTimeout ends a call before clients give it up.
const toolTimeout = 45 * time.Second

// offer is a tool with what it needs.
type offer struct {
	tool  mcp.ServerTool
	needs func(*Editor) bool // nil for nothing
}

// define makes the tools as models see them.
func (e *Editor) define() ([]offer, error) {
	offers := slices.Concat(e.defineEdits(), e.defineDiagnostics(), e.defineWindows(), e.defineNavigation(), e.defineRefactorings())
	var faults []error
	for i := range offers {
		offers[i].tool = offers[i].tool.With(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: e.limits.MaxResult()})
		faults = append(faults, offers[i].tool.Err())
	}
	return offers, errors.Join(faults...)
}

// defineEdits makes the tools that change code.
func (e *Editor) defineEdits() []offer {
	return []offer{
		{mcp.NewTool(mcp.Tool{
			Name: "insert_code", Annotations: mcp.Additive(),
			Description: "Inserts lines into a file, indented like the code around. Answers the errors that this brings.",
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
			Description: "Lays a file out by the formatter and the settings of the project.",
		}, e.Format), has[adapter.Formatter]},
	}
}

// defineDiagnostics makes the tools that tell what is wrong, and mend it.
func (e *Editor) defineDiagnostics() []offer {
	return []offer{
		{mcp.NewTool(mcp.Tool{
			Name: "get_diagnostics", Annotations: mcp.ReadOnly(),
			Description: "Tells errors and warnings of files or of the project, and which files were checked: an unchecked or stale file may have errors that are not shown.",
		}, e.Diagnostics), hasDiagnostics},
		{mcp.NewTool(mcp.Tool{
			Name: "get_quick_fixes", Annotations: mcp.ReadOnly(),
			Description: "Lists changes that mend a diagnostic, with their diffs.",
		}, e.QuickFixes), has[adapter.Fixer]},
		{mcp.NewTool(mcp.Tool{
			Name: "apply_quick_fix", Annotations: mcp.Destructive(),
			Description: "Applies a fix of get_quick_fixes, once.",
		}, e.ApplyQuickFix), has[adapter.Fixer]},
	}
}

// defineWindows makes the tools for what the user looks at.
func (e *Editor) defineWindows() []offer {
	opens := mcp.Additive()
	opens.Idempotent = new(true)
	return []offer{
		{mcp.NewTool(mcp.Tool{
			Name: "open_file_in_editor", Annotations: opens,
			Description: "Shows a file to the user, in their editor. Makes it if it is missing.",
		}, e.OpenFile), has[adapter.Windows]},
		{mcp.NewTool(mcp.Tool{
			Name: "get_active_file", Annotations: mcp.ReadOnly(),
			Description: "Tells which file the user looks at, the cursor and the selection.",
		}, e.ActiveFile), has[adapter.Windows]},
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

// hasActive tells whether there are documents that a user looks at and that can be edited.
func hasActive(e *Editor) bool { return has[adapter.Windows](e) && has[adapter.Buffers](e) }

// hasDiagnostics tells whether anything can look for errors.
func hasDiagnostics(e *Editor) bool { return e.options.Syntax != nil || has[adapter.Diagnoser](e) }

// defineNavigation makes the tools for what names mean.
func (e *Editor) defineNavigation() []offer {
	return []offer{
		{mcp.NewTool(mcp.Tool{
			Name: "find_definition", Annotations: mcp.ReadOnly(),
			Description: "Shows the declaration of a name, with its code.",
		}, e.FindDefinition), has[adapter.Navigator]},
		{mcp.NewTool(mcp.Tool{
			Name: "find_references", Annotations: mcp.ReadOnly(),
			Description: "Shows every line that uses a name, by meaning and not by spelling.",
		}, e.FindReferences), has[adapter.Navigator]},
		{mcp.NewTool(mcp.Tool{
			Name: "rename_symbol", Annotations: mcp.Destructive(),
			Description: "Renames a variable, function or type everywhere. A dry run unless dryRun=false.",
		}, e.Rename), has[adapter.Navigator]},
	}
}

// defineRefactorings makes the tools that write code otherwise.
func (e *Editor) defineRefactorings() []offer {
	return []offer{
		{mcp.NewTool(mcp.Tool{
			Name: "list_refactorings", Annotations: mcp.ReadOnly(),
			Description: "Lists what can be done with code: extract, inline, move, rewrite, organize imports.",
		}, e.ListRefactorings), has[adapter.Refactorer]},
		{mcp.NewTool(mcp.Tool{
			Name: "extract_method", Annotations: mcp.Destructive(),
			Description: "Makes a method or function of code. Shows a preview unless preview=false; apply_refactoring applies it.",
		}, e.ExtractMethod), has[adapter.Refactorer]},
		{mcp.NewTool(mcp.Tool{
			Name: "apply_refactoring", Annotations: mcp.Destructive(),
			Description: "Applies a refactoring of list_refactorings or of a preview. Shows a preview unless preview=false.",
		}, e.ApplyRefactoring), has[adapter.Refactorer]},
	}
}
