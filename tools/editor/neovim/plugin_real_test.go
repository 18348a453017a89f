//go:build unix

package neovim_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/neovim"
	"github.com/dougu-go/dougu/tools/editor/neovim/plugin"
)

// lazy does with a plugin what lazy.nvim does: it sets 'packpath' and 'runtimepath' back, adds the directory in front, and loads plugin/*.lua.
const lazy = `
local function spec(p)
  vim.go.loadplugins = false
  vim.go.packpath = vim.env.VIMRUNTIME
  vim.opt.runtimepath = { vim.env.VIMRUNTIME }
  vim.opt.runtimepath:prepend(p.dir)
  if p.config then p.config(p) end
  for _, file in ipairs(vim.fn.glob(p.dir .. '/plugin/*.lua', true, true)) do
    vim.cmd('source ' .. vim.fn.fnameescape(file))
  end
end
`

// pack does with a plugin what vim.pack.add does: it adds the optional package during the start.
const pack = `
vim.pack = {}
function vim.pack.add(specs, options)
  for _, s in ipairs(specs) do
    local path = vim.fn.stdpath('data') .. '/site/pack/core/opt/dougu'
    if options and options.load then
      options.load({ spec = s, path = path })
    else
      vim.cmd('packadd! dougu')
    end
  end
end
`

// The plugin announces Neovim at an address that servers do not look for, however it is installed.
func TestPlugin(t *testing.T) {
	clone, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	const inClone = "/tools/editor/neovim/plugin"
	for name, tc := range map[string]struct {
		dir  string // where the plugin is installed, in stdpath('data'); empty: in the clone alone
		init string
	}{
		"Package":           {"site/pack/dougu/start/dougu", ""},
		"Lazy_Directory":    {"site/pack/dougu/start/dougu", lazy + `spec({ dir = vim.fn.stdpath('data') .. '/site/pack/dougu/start/dougu' })`},
		"Lazy_Clone":        {"", lazy + `spec({ dir = CLONE, config = function(p) vim.opt.rtp:append(p.dir .. '` + inClone + `') require('dougu').setup() end })`},
		"Pack_Clone":        {"", pack + `vim.pack.add({ 'https://github.com/dougu-go/dougu' }, { load = function(p) vim.opt.rtp:append(CLONE .. '` + inClone + `') end })`},
		"Pack_Optional":     {"site/pack/core/opt/dougu", pack + `vim.pack.add({ 'https://example.com/dougu' })`},
		"Setup_Explicit":    {"site/pack/dougu/start/dougu", `vim.cmd('packadd dougu') require('dougu').setup() require('dougu').setup()`},
		"Runtimepath_Clone": {"", `vim.opt.rtp:append(CLONE .. '` + inClone + `')`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkbench(t, map[string]string{"a.txt": "a\n"})
			announcing(t)
			data := w.path("data")
			t.Setenv("XDG_DATA_HOME", data)
			t.Setenv("XDG_CONFIG_HOME", w.path("config"))
			if tc.dir != "" {
				if err := plugin.Install(filepath.Join(data, "nvim", tc.dir), "1.2.3"); err != nil {
					t.Fatal(err)
				}
			}
			init := strings.ReplaceAll(tc.init, "CLONE", fmt.Sprintf("'%s'", clone))
			if err := os.MkdirAll(w.path("config/nvim"), 0o700); err != nil {
				t.Fatal(err)
			}
			w.write("config/nvim/init.lua", init)
			w.socket = w.path("my socket")
			w.withConfiguration("--listen", w.socket)
			w.until("Neovim is announced", func() bool {
				entries, err := os.ReadDir(os.Getenv("DOUGU_NEOVIM_DIR"))
				return err == nil && len(entries) > 0 && filepath.Ext(entries[0].Name()) == ".json"
			})
			n := connectTo(t, neovim.Options{Root: w.dir})
			w.vim("edit a.txt")
			if doc, open, err := n.Document(w.ctx, w.path("a.txt")); err != nil || !open || doc.Text != "a\n" {
				t.Errorf("%+v, %v, %v", doc, open, err)
			}
			type state struct {
				Version string   `msgpack:"version"`
				File    string   `msgpack:"file"`
				Address string   `msgpack:"address"`
				Servers []string `msgpack:"servers"`
			}
			s := lua[state](w, "return require('dougu').state()")
			if want := map[bool]string{true: "1.2.3", false: "0.1.0"}[tc.dir != ""]; s.Version != want || s.Address != w.socket || len(s.Servers) != 1 || !strings.Contains(s.Servers[0], "dougu") {
				t.Errorf("the state is %+v", s)
			}
			if info, err := os.Stat(s.File); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the announcement can be read by others: %v, %v", info, err)
			}
			health := lua[string](w, "vim.cmd('checkhealth dougu') return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')")
			if !strings.Contains(health, "servers find this Neovim by "+s.File) || !strings.Contains(health, "connected: dougu") {
				t.Errorf(":checkhealth says\n%s", health)
			}
			_ = w.conn.Call(w.ctx, "nvim_command", []any{"qall!"}, nil) // it has no response
			w.kill()
			if _, err := os.Stat(s.File); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the announcement is still there: %v", err)
			}
		})
	}
}

// A Neovim whose user does not want it is not announced.
func TestPlugin_Disabled(t *testing.T) {
	for name, init := range map[string]string{
		"Variable": "vim.g.loaded_dougu = 1",
		"Setup":    "require('dougu').setup({ enabled = false })",
		"VSCode":   "vim.g.vscode = 1",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkbench(t, nil)
			announcing(t)
			clone, err := filepath.Abs("plugin")
			if err != nil {
				t.Fatal(err)
			}
			w.run("--listen", w.socket, "--cmd", "set rtp^="+clone, "--cmd", "lua "+init)
			if lua[int](w, "return vim.v.vim_did_enter") != 1 {
				w.until("Neovim has started", func() bool { return lua[int](w, "return vim.v.vim_did_enter") == 1 })
			}
			entries, err := os.ReadDir(os.Getenv("DOUGU_NEOVIM_DIR"))
			if err != nil || len(entries) > 0 {
				t.Errorf("it is announced: %v, %v", entries, err)
			}
		})
	}
}
