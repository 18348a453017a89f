-- Shows a file: { path, preview, at = { row, units } or nil }.
return answer(function()
  local function is_normal(win)
    return api.nvim_win_get_config(win).relative == ''
      and not vim.wo[win].previewwindow
      and not (fn.exists('+winfixbuf') == 1 and vim.wo[win].winfixbuf)
      and vim.bo[api.nvim_win_get_buf(win)].buftype == ''
  end

  -- Who types in a terminal goes on typing there.
  local before = api.nvim_get_current_win()
  local stay = not is_document(api.nvim_win_get_buf(before))
  local typing = api.nvim_get_mode().mode == 't'

  local function window_for(buf)
    local here = api.nvim_tabpage_list_wins(0)
    local showing = fn.win_findbuf(buf)
    for _, win in ipairs(showing) do
      if vim.tbl_contains(here, win) then
        return win, true
      end
    end
    if showing[1] and not stay then
      return showing[1], true
    end
    for _, win in ipairs(vim.list_extend({ before, fn.win_getid(fn.winnr('#')) }, here)) do
      if win ~= 0 and is_normal(win) then
        return win, false
      end
    end
  end

  local function split()
    vim.cmd('split')
    local new = api.nvim_get_current_win()
    if stay then
      api.nvim_set_current_win(before)
      if typing then
        vim.cmd('startinsert')
      end
    end
    return new
  end

  local buf = find(args.path)
  local known = buf ~= nil and is_open(buf)
  buf = buf or fn.bufadd(args.path)
  local win, shown = window_for(buf)
  -- A swap file would have Neovim ask. It may be another one's, so the file is only to be looked at.
  local swap = api.nvim_create_autocmd('SwapExists', {
    callback = function()
      if vim.v.swapchoice == '' then
        vim.v.swapchoice = 'o'
      end
    end,
  })
  local ok, why = pcall(function()
    if not win then
      win = split()
    elseif not stay then
      api.nvim_set_current_win(win)
    end
    if shown then
      return
    end
    pcall(api.nvim_win_call, win, function()
      vim.cmd("normal! m'")
    end)
    local function fill()
      api.nvim_win_call(win, function()
        vim.cmd('silent buffer ' .. buf)
      end)
    end
    if not pcall(fill) then
      win = split() -- what the window shows has changes, and 'hidden' is off
      fill()
    end
  end)
  pcall(api.nvim_del_autocmd, swap)
  if not ok then
    fail('error', why)
  end
  vim.bo[buf].buflisted = true
  if args.preview and not known then
    vim.bo[buf].bufhidden = 'delete' -- until the user does something with it
    api.nvim_create_autocmd({ 'BufModifiedSet', 'InsertEnter', 'BufWritePost' }, {
      buffer = buf,
      once = true,
      callback = function()
        vim.bo[buf].bufhidden = ''
      end,
    })
  elseif not args.preview and vim.bo[buf].bufhidden == 'delete' then
    vim.bo[buf].bufhidden = ''
  end
  if args.at then
    local row = math.min(args.at[1], api.nvim_buf_line_count(buf) - 1)
    local was = api.nvim_win_call(win, function()
      return { fn.line('w0'), fn.line('w$') }
    end)
    api.nvim_win_set_cursor(win, { row + 1, bytes(line_of(buf, row), args.at[2]) })
    if api.nvim_get_mode().mode == 'n' then
      local far = row + 1 < was[1] or row + 1 > was[2]
      pcall(api.nvim_win_call, win, function()
        vim.cmd(far and 'normal! zvzz' or 'normal! zv')
      end)
    end
  end
  return true
end)
