-- Files have changed on the disk: { paths, uris }.
return answer(function()
  local changes, find_one = {}, finder()
  for i, path in ipairs(args.paths) do
    local buf = find_one(path)
    if buf and is_document(buf) then
      refresh(buf)
    end
    local stat = loop.fs_stat(path)
    local fresh = stat and stat.birthtime and seconds - stat.birthtime.sec < 10
    table.insert(changes, { uri = args.uris[i], type = not stat and 3 or fresh and 1 or 2 })
  end
  for _, client in ipairs(clients_of(nil)) do
    pcall(of_client, client, 'notify', 'workspace/didChangeWatchedFiles', { changes = changes })
  end
  return true
end)
