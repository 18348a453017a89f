-- The message of an error without the place in this script.
local function reason(why)
  local text = tostring(why):gsub('%s*stack traceback:.*$', ''):gsub('^.*%[string "<nvim>"%]:%d+: ', '')
  return (text:gsub('^.-Vim%b():', ''))
end

-- Changes a document: { buf, tick, parts, eol, save }. The parts come in order.
return answer(function()
  local buf = args.buf
  if not is_document(buf) then
    fail('stale', 'the buffer is not loaded any more')
  end
  local refused = false
  if args.save then
    refused = refresh(buf)
  end
  if refused or api.nvim_buf_get_changedtick(buf) ~= args.tick then
    fail('stale', 'it has changed meanwhile')
  end
  if not vim.bo[buf].modifiable then
    fail('error', "the buffer cannot be changed ('modifiable' is off)")
  end

  -- Characters that the encoding of the file lacks would become others when it is written.
  local encoding = vim.bo[buf].fileencoding
  if args.save and encoding ~= '' and encoding ~= 'utf-8' then
    for _, p in ipairs(args.parts) do
      local text = table.concat(p.lines, '\n')
      if fn.iconv(fn.iconv(text, 'utf-8', encoding), encoding, 'utf-8') ~= text then
        fail('error', 'the encoding of the file, ' .. encoding .. ', lacks some of the characters')
      end
    end
  end

  -- Setting 'undolevels' ends the step that the user can undo.
  local function new_step()
    api.nvim_buf_call(buf, function()
      vim.cmd('let &l:undolevels = &l:undolevels')
    end)
  end

  new_step()
  local ok, why = pcall(function()
    for i = #args.parts, 1, -1 do
      local p = args.parts[i]
      if p.whole then
        api.nvim_buf_set_lines(buf, p.row, p.last, true, p.lines)
      else
        api.nvim_buf_set_text(buf, p.row, p.column, p.last, p.stop, p.lines)
      end
    end
  end)
  if not ok then
    if api.nvim_buf_get_changedtick(buf) ~= args.tick then
      pcall(api.nvim_buf_call, buf, function()
        vim.cmd('silent! undo')
      end)
    end
    fail('error', why)
  end
  if vim.bo[buf].endofline ~= args.eol then
    vim.bo[buf].endofline = args.eol
  end
  new_step()
  if api.nvim_get_mode().mode == 'i' and api.nvim_get_current_buf() == buf then
    api.nvim_feedkeys('\7u', 'ni', false) -- what is typed from here on is a step, too
  end

  local trouble
  if args.save then
    local fix = vim.bo[buf].fixendofline
    vim.bo[buf].fixendofline = false -- the end of the file is as it was said
    ok, why = pcall(api.nvim_buf_call, buf, function()
      vim.cmd('silent keepalt keepjumps lockmarks write')
    end)
    if api.nvim_buf_is_valid(buf) then
      vim.bo[buf].fixendofline = fix
    end
    trouble = not ok and reason(why) or nil
  end
  if not is_document(buf) then
    fail('error', 'the buffer has been closed by what happens when it is written')
  end
  local now = document(buf)
  now.trouble = trouble
  return now
end)
