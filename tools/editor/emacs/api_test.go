package emacs_test

import (
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/emacs"
)

// Emacs implements these interfaces of package adapter.
var _ interface {
	adapter.Adapter
	adapter.Buffers
	adapter.Windows
	adapter.Diagnoser
	adapter.Formatter
	adapter.Navigator
	adapter.Refactorer
	adapter.Listener
} = (*emacs.Emacs)(nil)
