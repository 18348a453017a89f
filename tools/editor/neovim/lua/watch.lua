-- Has Neovim tell a channel what happens, as long as the channel lives: { channel }.
return answer(function()
  local group = 'dougu_' .. args.channel
  api.nvim_create_augroup(group, { clear = true })

  local function tell(...)
    if not pcall(vim.rpcnotify, args.channel, 'dougu', ...) then
      vim.schedule(function()
        pcall(api.nvim_del_augroup_by_name, group)
      end)
    end
  end

  local function folders()
    local all, seen = {}, {}
    local function add(folder)
      folder = real(folder)
      if not seen[folder] and #all < 100 then
        seen[folder] = true
        table.insert(all, folder)
      end
    end
    add(fn.getcwd(-1, -1))
    for _, tab in ipairs(api.nvim_list_tabpages()) do
      add(fn.getcwd(-1, api.nvim_tabpage_get_number(tab)))
    end
    add(fn.getcwd())
    return all
  end

  api.nvim_create_autocmd({ 'DirChanged', 'TabEnter', 'TabClosed', 'FocusGained', 'BufEnter', 'InsertEnter' }, {
    group = group,
    callback = function()
      local ok, all = pcall(folders)
      tell('state', ok and all or {})
    end,
  })
  api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    callback = function(event)
      local tick = api.nvim_buf_is_valid(event.buf) and api.nvim_buf_get_changedtick(event.buf) or 0
      tell('diagnostics', event.buf, tick)
    end,
  })
  local buffers = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if is_document(buf) and #buffers < 1000 then
      table.insert(buffers, { buf, api.nvim_buf_get_changedtick(buf) })
    end
  end
  return { folders = folders(), buffers = buffers, embedded = vim.g.vscode ~= nil }
end)
