package neovim_test

import (
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// Neovim implements all interfaces of package adapter.
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
} = (*neovim.Neovim)(nil)
