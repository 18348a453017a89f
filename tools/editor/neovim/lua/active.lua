-- What the user looks at.
return answer(function()
  local here = api.nvim_tabpage_list_wins(0)
  local last, last_used
  for _, win in ipairs(here) do
    local buf = api.nvim_win_get_buf(win)
    local info = is_document(buf) and fn.getbufinfo(buf)[1]
    if info and (not last_used or (info.lastused or 0) > last_used) then
      last, last_used = win, info.lastused or 0
    end
  end
  local win
  for _, candidate in ipairs({ api.nvim_get_current_win(), fn.win_getid(fn.winnr('#')), last }) do
    if candidate ~= 0 and is_document(api.nvim_win_get_buf(candidate)) then
      win = candidate
      break
    end
  end
  if not win then
    return { buf = 0 }
  end
  local buf = api.nvim_win_get_buf(win)
  local name = api.nvim_buf_get_name(buf)
  local cursor = api.nvim_win_get_cursor(win)
  local found = {
    buf = buf,
    path = name ~= '' and real(name) or '',
    tick = api.nvim_buf_get_changedtick(buf),
    dirty = vim.bo[buf].modified,
    cursor = { cursor[1] - 1, units(line_of(buf, cursor[1] - 1), cursor[2]) },
  }
  local mode = api.nvim_get_mode().mode
  local kind = mode:sub(1, 1)
  if win ~= api.nvim_get_current_win() or not (kind == 'v' or kind == 'V' or kind == '\22') then
    return found
  end
  -- The other end of what is selected. A block counts as all from its first to its last character.
  local anchor = fn.getpos('v')
  local from, to = { anchor[2], anchor[3] - 1 }, cursor
  if from[1] > to[1] or from[1] == to[1] and from[2] > to[2] then
    from, to = to, from
  end
  local first, final = line_of(buf, from[1] - 1), line_of(buf, to[1] - 1)
  local start, stop = { from[1] - 1, units(first, from[2]) }, { to[1] - 1, units(final, to[2]) }
  if kind == 'V' then
    start[2], stop[2] = 0, units(final, #final)
  elseif vim.o.selection ~= 'exclusive' then
    stop[2] = stop[2] + units(final:match('^[%z\1-\127\192-\255][\128-\191]*', to[2] + 1) or '', 4)
  end
  found.start, found.stop = start, stop
  return found
end)
