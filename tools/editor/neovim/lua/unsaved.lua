-- The files whose buffers have changes that are not on the disk.
return answer(function()
  local paths = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and option(buf, 'modified') and is_document(buf) then
      local name = api.nvim_buf_get_name(buf)
      if name ~= '' and #paths <= 2001 then
        table.insert(paths, real(name))
      end
    end
  end
  return { paths = paths }
end)
