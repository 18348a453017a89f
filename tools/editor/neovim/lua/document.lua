-- The document of a file: { path, method, known }.
return answer(function()
  local buf = find(args.path)
  if not buf or not is_open(buf) then
    return { buf = 0 }
  end
  refresh(buf)
  if not is_document(buf) then
    return { buf = 0 }
  end
  return document(buf, args.method, args.known)
end)
