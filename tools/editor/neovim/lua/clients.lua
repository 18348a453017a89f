-- All language servers that know a method: { method }.
return answer(function()
  local all = {}
  for _, client in ipairs(clients_of(nil)) do
    if knows(client, args.method) then
      table.insert(all, { id = client.id, name = client.name, encoding = client.offset_encoding or 'utf-16' })
    end
  end
  return all
end)
