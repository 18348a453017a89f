-- Diagnostics of files, or of all: { paths, max }.
return answer(function()
  local out = { items = {}, covered = {}, clients = 0, more = false }
  local owners = {}

  local function add(buf, path)
    local loaded = api.nvim_buf_is_loaded(buf)
    local function column(row, col)
      return loaded and units(line_of(buf, row), col) or col
    end
    for _, d in ipairs(vim.diagnostic.get(buf)) do
      if #out.items >= args.max then
        out.more = true
        return
      end
      local last = d.end_lnum or d.lnum
      local said = type(d.user_data) == 'table' and type(d.user_data.lsp) == 'table' and d.user_data.lsp or nil
      local ok, text = pcall(vim.json.encode, said)
      table.insert(out.items, {
        path = path,
        loaded = loaded,
        row = d.lnum,
        column = column(d.lnum, d.col),
        last = last,
        stop = column(last, d.end_col or d.col),
        severity = tonumber(d.severity) or 1,
        message = tostring(d.message),
        code = d.code ~= nil and tostring(d.code) or '',
        source = d.source ~= nil and tostring(d.source) or '',
        client = owners[d.namespace] or 0,
        lsp = said and ok and text or '',
      })
    end
  end

  local function own(client)
    for _, pull in ipairs({ false, true }) do
      local ok, namespace = pcall(vim.lsp.diagnostic.get_namespace, client.id, pull)
      if ok and namespace then
        owners[namespace] = client.id
      end
    end
  end

  if #args.paths > 0 then
    local find_one = finder()
    for _, path in ipairs(args.paths) do
      local buf = find_one(path)
      local clients = buf and clients_of(buf) or {}
      for _, client in ipairs(clients) do
        own(client)
      end
      if #clients > 0 then
        out.clients = out.clients + #clients
        table.insert(out.covered, { path = path, buf = buf, tick = api.nvim_buf_get_changedtick(buf) })
        add(buf, path)
      end
    end
    return out
  end
  for _, client in ipairs(clients_of(nil)) do
    own(client)
    out.clients = out.clients + 1
  end
  local seen = {}
  for _, d in ipairs(vim.diagnostic.get(nil)) do
    if not seen[d.bufnr] and api.nvim_buf_is_valid(d.bufnr) then
      seen[d.bufnr] = true
      add(d.bufnr, real(api.nvim_buf_get_name(d.bufnr)))
    end
  end
  return out
end)
