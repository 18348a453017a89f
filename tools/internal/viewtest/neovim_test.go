//go:build unix

package viewtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// vim is the user of a Neovim, over a connection of its own.
type vim struct {
	conn net.Conn
	in   *msgpack.Decoder
	last int
}

// startNeovim runs a Neovim in a new directory and returns the directory, its user and an adapter.
func startNeovim(t *testing.T) (project string, user *vim, a *neovim.Neovim) {
	t.Helper()
	project, home := editorDirs(t, "nvim", "Neovim", "install neovim 0.7 or later")
	var err error
	socket := filepath.Join(home, "socket")
	program := exec.Command("nvim", "--headless", "--clean", "-n", "--listen", socket)
	program.Dir = project
	program.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+home, "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sync.OnceFunc(func() {
		late := time.AfterFunc(10*time.Second, func() { _ = program.Process.Kill() })
		_ = program.Process.Signal(syscall.SIGTERM)
		_ = program.Wait()
		late.Stop()
	}))
	user = new(vim)
	waittest.Until(t, "Neovim listens", func() bool {
		user.conn, err = net.Dial("unix", socket)
		return err == nil
	})
	t.Cleanup(func() { user.conn.Close() })
	user.in = msgpack.NewDecoder(user.conn)
	return project, user, connectNeovim(t, socket, project)
}

func connectNeovim(t *testing.T, socket, project string) *neovim.Neovim {
	t.Helper()
	a := neovim.New(neovim.Options{Address: socket, Root: project})
	t.Cleanup(func() { _ = a.Close(t.Context()) })
	waittest.Until(t, "the adapter is connected", func() bool { return a.State().Running })
	return a
}

// lua runs a chunk and decodes its value into result, unless that is nil.
func (v *vim) lua(t *testing.T, result any, chunk string, args ...any) {
	t.Helper()
	v.last++
	if args == nil {
		args = []any{}
	}
	if err := v.conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	request, err := msgpack.Marshal([]any{0, v.last, "nvim_exec_lua", []any{chunk, args}})
	if err == nil {
		_, err = v.conn.Write(request)
	}
	if err != nil {
		t.Fatal(err)
	}
	for {
		var message []msgpack.RawMessage
		if err := v.in.Decode(&message); err != nil {
			t.Fatal(err)
		}
		var kind, id int
		if len(message) != 4 || msgpack.Unmarshal(message[0], &kind) != nil || kind != 1 || msgpack.Unmarshal(message[1], &id) != nil || id != v.last {
			continue // a notification
		}
		if len(message[2]) > 0 && message[2][0] != 0xc0 { // 0xc0 is nil
			t.Fatalf("%s: %q", chunk, message[2])
		}
		if result != nil {
			if err := msgpack.Unmarshal(message[3], result); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
}

// inBuffer begins the chunks: buf is the buffer of the first argument, which is loaded if need be.
const inBuffer = `
local path, text = ...
local buf = vim.fn.bufadd(path)
vim.fn.bufload(buf)
vim.bo[buf].buflisted = true
local function ex(command) vim.api.nvim_buf_call(buf, function() vim.cmd(command) end) end
`

func (v *vim) write(t *testing.T, path, text string) {
	t.Helper()
	v.lua(t, nil, inBuffer+`
ex('let &l:undolevels = &l:undolevels')
vim.api.nvim_buf_set_lines(buf, 0, -1, true, vim.split(text:sub(1, -2), '\n'))
ex('let &l:undolevels = &l:undolevels')`, path, text)
}

// save overwrites also a file that another program has changed. Neovim then asks its user, who types y.
func (v *vim) save(t *testing.T, path string) {
	t.Helper()
	v.lua(t, nil, inBuffer+`
vim.api.nvim_input('y')
ex('silent write!')
vim.api.nvim_input('<Esc>')`, path)
}

func (v *vim) undo(t *testing.T, path string) { v.lua(t, nil, inBuffer+`ex('silent! undo')`, path) }

func (v *vim) reload(t *testing.T, path string) { v.lua(t, nil, inBuffer+`ex('silent edit!')`, path) }

func (v *vim) closeAll(t *testing.T) { v.lua(t, nil, `vim.cmd('silent! %bwipeout!')`) }

func (v *vim) look(t *testing.T, path string) (text string, open, dirty bool) {
	t.Helper()
	var found struct {
		Text  string `msgpack:"text"`
		Open  bool   `msgpack:"open"`
		Dirty bool   `msgpack:"dirty"`
	}
	v.lua(t, &found, `
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_get_name(buf) == ... and vim.api.nvim_buf_is_loaded(buf) then
    local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), '\n')
    return { text = text .. (vim.bo[buf].endofline and '\n' or ''), open = true, dirty = vim.bo[buf].modified }
  end
end
return { text = '', open = false, dirty = false }`, path)
	return found.Text, found.Open, found.Dirty
}

func TestTools_AgreeWithNeovim(t *testing.T) {
	dir, user, a := startNeovim(t)
	began := time.Now()
	sequences(t, newWorld(t, dir, user, a), count(150), 8)
	t.Logf("the sequences took %v", time.Since(began))
}
