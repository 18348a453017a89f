-- What every question begins with. A question is a chunk of its own, leaves nothing behind, and answers a table: value is the
-- answer, fault and message say why there is none.
local deadline, args = ...
local api, fn, loop = vim.api, vim.fn, vim.uv or vim.loop

local function fail(fault, message)
  error({ fault = fault, message = message }, 0)
end

local seconds, micros = loop.gettimeofday()
if seconds * 1000 + micros / 1000 > deadline then
  return { fault = 'late', message = 'Neovim was busy for too long, and has not done it' }
end

-- How many UTF-16 code units the first bytes of a line are.
local function units(line, bytes)
  local part = line:sub(1, bytes)
  local _, characters = part:gsub('[^\128-\191]', '')
  local _, long = part:gsub('[\240-\247]', '')
  return characters + long
end

-- How many bytes so many UTF-16 code units are, or the line is.
local function bytes(line, wanted)
  for at, character in line:gmatch('()([%z\1-\127\192-\255][\128-\191]*)') do
    wanted = wanted - (character:byte() >= 240 and 2 or 1)
    if wanted < 0 then
      return at - 1
    end
  end
  return #line
end

local function line_of(buf, row)
  return api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
end

local windows = fn.has('win32') == 1

-- A path as it can be compared.
local function comparable(path)
  if windows then
    path = path:gsub('/', '\\'):lower()
  end
  return path
end

local function real(name)
  return loop.fs_realpath(name) or name
end

-- An option of a buffer. vim.bo costs several times as much.
local function option(buf, name)
  if api.nvim_buf_get_option then
    return api.nvim_buf_get_option(buf, name)
  end
  return vim.bo[buf][name]
end

local function is_document(buf)
  return api.nvim_buf_is_valid(buf) and api.nvim_buf_is_loaded(buf) and option(buf, 'buftype') == ''
end

-- A function that answers the loaded buffer of a file, whose path has no links. Links are followed once a buffer, and only if need be.
local function finder()
  local names, reals = {}, nil
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if name ~= '' and api.nvim_buf_is_loaded(buf) then
      names[comparable(name)] = buf
    end
  end
  return function(path)
    local wanted = comparable(path)
    local buf = names[wanted]
    if buf and is_document(buf) then
      return buf
    end
    if not reals then
      reals = {}
      for name, other in pairs(names) do
        if is_document(other) then
          reals[comparable(real(name))] = other
        end
      end
    end
    return reals[wanted]
  end
end

local function find(path)
  return finder()(path)
end

local function is_open(buf)
  return vim.bo[buf].buflisted or vim.bo[buf].modified or #fn.win_findbuf(buf) > 0
end

-- Reads a buffer without changes again if its file has changed, whatever 'autoread' is: else Neovim would ask its user about it, or
-- when the buffer is written. It answers true if Neovim would ask nevertheless; the user is told then.
local function refresh(buf)
  local name, changed = api.nvim_buf_get_name(buf), false
  if vim.bo[buf].modified or not loop.fs_stat(name) then
    return false
  end
  local id = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      changed = true
      vim.v.fcs_choice = ''
    end,
  })
  local autoread = vim.go.autoread
  if not autoread then
    vim.go.autoread = true
  end
  pcall(vim.cmd, 'silent! checktime ' .. buf)
  if not autoread then
    vim.go.autoread = false
  end
  pcall(api.nvim_del_autocmd, id)
  if changed then
    local text = 'Warning: File "' .. fn.fnamemodify(name, ':t') .. '" has changed on the disk'
    pcall(api.nvim_echo, { { text, 'WarningMsg' } }, true, {})
  end
  return changed
end

-- The language servers of a buffer, or of all for nil, in the order in which they were started.
local function clients_of(buf)
  if not package.loaded['vim.lsp'] then
    return {}
  end
  local lsp, found, all = vim.lsp, nil, {}
  if lsp.get_clients then
    found = lsp.get_clients({ bufnr = buf })
  else
    found = buf and lsp.buf_get_clients(buf) or lsp.get_active_clients()
  end
  for _, client in pairs(found) do
    table.insert(all, client)
  end
  table.sort(all, function(a, b)
    return a.id < b.id
  end)
  return all
end

local methods = fn.has('nvim-0.11') == 1

-- Calls a function of a client, which newer versions want called as a method.
local function of_client(client, name, ...)
  if methods then
    return client[name](client, ...)
  end
  return client[name](...)
end

local function knows(client, method, buf)
  local ok, can
  if methods then
    ok, can = pcall(client.supports_method, client, method, buf)
  else
    ok, can = pcall(client.supports_method, method, { bufnr = buf })
  end
  return ok and can
end

local max_text = 32 * 1024 * 1024
local ends = { unix = '\n', dos = '\r\n', mac = '\r' }

-- Whether a buffer that shows an empty line has not even that.
local function has_no_bytes(buf)
  return api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_call(buf, fn.wordcount).bytes == 0
end

-- All about a buffer. method asks for the language servers that know it. The text is left out if the buffer is still the known one:
-- { buf, tick, ending, eol }.
local function document(buf, method, known)
  local o = vim.bo[buf]
  if api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf)) > max_text then
    fail('unsupported', 'the document is too long')
  end
  local tick, ending, eol = api.nvim_buf_get_changedtick(buf), ends[o.fileformat], o.endofline
  local same = known and known.buf == buf and known.tick == tick and known.ending == ending and known.eol == eol
  local text = ''
  if not same then
    text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), ending)
    if eol and not (text == '' and has_no_bytes(buf)) then
      text = text .. ending
    end
  end
  local clients = {}
  for _, client in ipairs(method and clients_of(buf) or {}) do
    if method == '' or knows(client, method, buf) then
      table.insert(clients, { id = client.id, name = client.name, encoding = client.offset_encoding or 'utf-16' })
    end
  end
  return {
    buf = buf,
    tick = tick,
    text = text,
    same = same or false,
    ending = ending,
    eol = eol,
    dirty = o.modified,
    editable = o.modifiable and not o.readonly,
    filetype = o.filetype,
    clients = clients,
    tab = o.shiftwidth > 0 and o.shiftwidth or o.tabstop,
    spaces = o.expandtab,
  }
end

local function answer(question)
  local ok, value = pcall(question)
  if ok then
    return { value = value }
  end
  if type(value) == 'table' and value.fault then
    return { fault = value.fault, message = tostring(value.message) }
  end
  return { fault = 'error', message = tostring(value) }
end
