-- Announces this Neovim to servers of Dougu: a file in a directory of the user has the address on which Neovim listens. Servers read
-- it and connect, wherever the address is: after "nvim --listen", with another $TMPDIR, and on Windows.
local M = { version = require('dougu.version') }

local fn, loop = vim.fn, vim.uv or vim.loop
local windows = fn.has('win32') == 1
local separator = windows and '\\' or '/'

-- The announcement of this Neovim: its file and the address in it. nil without one.
local announced

local function join(...)
  return table.concat({ ... }, separator)
end

-- The directories for announcements, the preferred one first. Servers read all of them.
local function directories()
  local env = vim.env
  if (env.DOUGU_NEOVIM_DIR or '') ~= '' then
    return { env.DOUGU_NEOVIM_DIR }
  end
  local home = loop.os_homedir()
  if windows then
    return { join(env.LOCALAPPDATA or join(home, 'AppData', 'Local'), 'dougu', 'neovim') }
  end
  local all = { join(home, '.cache', 'dougu', 'neovim') }
  if (env.XDG_RUNTIME_DIR or ''):sub(1, 1) == '/' then
    table.insert(all, 1, join(env.XDG_RUNTIME_DIR, 'dougu', 'neovim'))
  end
  return all
end

-- Creates a directory that only this user can access. The error says why that fails.
local function make_private(dir)
  fn.mkdir(dir, 'p', '0700')
  local info = loop.fs_lstat(dir)
  if not info or info.type ~= 'directory' then
    error(dir .. ' is not a directory', 0)
  end
  if windows then
    return -- other users cannot access a profile
  end
  if info.uid ~= loop.getuid() then
    error(dir .. ' belongs to another user', 0)
  end
  if info.mode % 64 ~= 0 then
    assert(loop.fs_chmod(dir, 448)) -- 0700
  end
end

-- Writes a file as a whole, readable by this user alone.
local function write(file, text)
  local draft = file .. '.' .. loop.getpid() .. '.tmp'
  local handle = assert(loop.fs_open(draft, 'w', 384)) -- 0600
  local ok, err = loop.fs_write(handle, text, 0)
  loop.fs_close(handle)
  if ok then
    ok, err = loop.fs_rename(draft, file)
  end
  if not ok then
    loop.fs_unlink(draft)
    error(err, 0)
  end
end

-- The address on which Neovim listens. Neovim begins to listen if it does not.
local function address()
  if (vim.v.servername or '') == '' then
    fn.serverstart()
  end
  return vim.v.servername
end

local function announce()
  local at = address()
  if not windows and at:sub(1, 1) ~= '/' and not at:find(':', 1, true) then
    at = fn.fnamemodify(at, ':p') -- a socket that was named relative to the directory of the start
  end
  local about = { version = M.version, address = at, pid = loop.getpid(), host = loop.os_gethostname() }
  local faults = {}
  for _, dir in ipairs(directories()) do
    local file = join(dir, about.pid .. '.json')
    local ok, err = pcall(function()
      make_private(dir)
      write(file, fn.json_encode(about) .. '\n')
    end)
    if ok then
      announced = { file = file, address = at }
      return
    end
    table.insert(faults, tostring(err))
  end
  error('no directory for the announcement: ' .. table.concat(faults, '; '), 0)
end

-- Announces this Neovim. Later calls announce it again. With { enabled = false } it withdraws the announcement.
function M.setup(options)
  vim.g.loaded_dougu = 1
  M.withdraw()
  if (options or {}).enabled == false or vim.g.vscode then
    return
  end
  local ok, err = pcall(announce)
  if not ok then
    vim.notify('Dougu: ' .. tostring(err), vim.log.levels.WARN)
    return
  end
  local group = vim.api.nvim_create_augroup('dougu_announcement', { clear = true })
  vim.api.nvim_create_autocmd('VimLeavePre', { group = group, callback = M.withdraw })
end

-- Removes the announcement. Servers that are connected stay connected.
function M.withdraw()
  if announced then
    loop.fs_unlink(announced.file)
    announced = nil
  end
end

-- The state of the plugin: version, file and address of the announcement, and the names of the connected servers.
function M.state()
  local servers = {}
  for _, channel in ipairs(vim.api.nvim_list_chans()) do
    local client = channel.client or {}
    if (client.attributes or {}).website == 'https://github.com/dougu-go/dougu' then
      table.insert(servers, client.name .. ' (process ' .. (client.attributes.pid or '?') .. ')')
    end
  end
  local a = announced or {}
  return { version = M.version, file = a.file, address = a.address, servers = servers }
end

return M
