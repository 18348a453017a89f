-- Asks a language server: { channel, id, buf, tick, client, method, params, max }. Its answer comes as a notification. buf is 0 for what
-- is about no document.
return answer(function()
  local client = vim.lsp.get_client_by_id(args.client)
  if not client then
    fail('unsupported', 'the language server has ended')
  end
  if args.buf ~= 0 and (not is_document(args.buf) or api.nvim_buf_get_changedtick(args.buf) ~= args.tick) then
    fail('stale', 'it has changed meanwhile')
  end
  local function tell(trouble, text)
    pcall(vim.rpcnotify, args.channel, 'dougu', 'answer', args.id, trouble, text)
  end
  local function answered(err, result)
    if err then
      local message = type(err) == 'table' and err.message or err
      return tell(message ~= nil and tostring(message) or 'it does not say why', '')
    end
    local ok, text = pcall(vim.json.encode, result == nil and vim.NIL or result)
    if not ok or #text > args.max then
      return tell(ok and 'its answer is too long' or 'its answer cannot be used', '')
    end
    tell('', text)
  end
  local buf = args.buf ~= 0 and args.buf or nil
  local ok, request = of_client(client, 'request', args.method, vim.json.decode(args.params), answered, buf)
  if not ok then
    fail('unsupported', 'the language server has ended')
  end
  return request
end)
