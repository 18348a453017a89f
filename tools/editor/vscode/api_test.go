package vscode_test

import (
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

// VSCode can all that an adapter can.
var _ interface {
	adapter.Adapter
	adapter.Buffers
	adapter.Windows
	adapter.Diagnoser
	adapter.Fixer
	adapter.Refactorer
	adapter.Formatter
	adapter.Navigator
	adapter.Listener
} = (*vscode.VSCode)(nil)
